// What one turn costs on each host, beside the same turn natively, in one run. A host that is not there is named with the reason.
//
//   node bench/hosts.mjs '{"10":[1300,1234],"1000":[1350,1300]}' [OUT.json]
//
// The first argument is what the native example printed: nanoseconds of a turn, the median and the quickest. Markdown goes to the output,
// the same figures to OUT.json. HOLM_HOSTS=node,deno chooses hosts.

import { writeFileSync } from 'node:fs';
import { pathToFileURL, fileURLToPath } from 'node:url';

/** As many turns as the native example times together, as often. */
export const PLAN = { turns: [10, 1000], window: 200, runs: 15, warm: 3, ways: ['encoded'] };
const HOSTS = ['node', 'deno', 'workerd', 'chromium'];
/** What Node shows beside the turn that all are measured with. */
const ASIDE = ['bare', 'carried'];

/** Figures of one host out of what it measured: microseconds of one turn. */
export function figures(host, found, window) {
  return found.map(({ way, turns, samples }) => {
    const sorted = samples.map((ms) => (ms * 1000) / window).sort((a, b) => a - b);
    const system = way === 'encoded' ? host : `${host}-${way}`;
    return { system, turns, micros: sorted[Math.floor(sorted.length / 2)], quickest: sorted[0] };
  });
}

/** Figures of the native example. */
export function native(printed) {
  return Object.entries(printed).map(([turns, [median, quickest]]) => ({
    system: 'native',
    turns: Number(turns),
    micros: median / 1000,
    quickest: quickest / 1000,
  }));
}

/** The report for people. */
export function markdown({ figures, missing, versions }) {
  const beside = ({ turns, quickest }) => {
    const floor = figures.find((one) => one.system === 'native' && one.turns === turns);
    return floor ? `${(quickest / floor.quickest).toFixed(2)}×` : '–';
  };
  const lines = [
    'One turn (a reply with a call, its dispatch, its result, the request that follows), in microseconds:',
    '',
    '| host | turns before | median | quickest | by native |',
    '|---|--:|--:|--:|--:|',
    ...figures.map((one) => `| ${one.system} | ${one.turns} | ${one.micros.toFixed(1)} | ${one.quickest.toFixed(1)} | ${beside(one)} |`),
    '',
    ...Object.entries(versions).map(([name, version]) => `- ${name}: ${version}`),
    ...missing.map(({ system, why }) => `- ${system} could not be measured: ${why}`),
  ];
  return `${lines.join('\n')}\n`;
}

async function main(printed, out) {
  const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
  const report = { reference: 'native', versions: {}, figures: native(JSON.parse(printed)), missing: [] };
  for (const host of process.env.HOLM_HOSTS?.split(',') ?? HOSTS) {
    console.error(`measuring ${host}`);
    try {
      const { run } = await import(`./hosts/${host}.mjs`);
      const ways = host === 'node' ? [...PLAN.ways, ...ASIDE] : PLAN.ways;
      const { version, found } = await run(root, { ...PLAN, ways });
      report.versions[host] = version;
      report.figures.push(...figures(host, found, PLAN.window));
    } catch (error) {
      report.missing.push({ system: host, why: String(error?.message ?? error).split('\n')[0] });
    }
  }
  process.stdout.write(markdown(report));
  if (out) writeFileSync(out, `${JSON.stringify(report, null, 1)}\n`);
  // The others may be missing; without Node something is wrong here.
  if (report.missing.some(({ system }) => system === 'node')) process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  if (process.argv.length < 3) {
    console.error('usage: node bench/hosts.mjs NATIVE [OUT.json]; scripts/bench hosts calls it');
    process.exitCode = 2;
  } else await main(process.argv[2], process.argv[3]);
}

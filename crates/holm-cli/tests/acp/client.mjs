// An editor without a screen: the official client, told by its caller what to do. Every message that the agent sends is held
// against the published schema of the protocol, and the first one that does not fit ends the run.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";
import Ajv from "ajv/dist/2020.js";

// Long enough for a slow machine, and short enough that a run that hangs says where.
const patience = 120_000;
const told = JSON.parse(process.argv[1]);
const seen = { sessions: {}, answers: {}, asked: [], forms: [], methods: {}, messages: 0, stderr: "" };

const schemaFile = "node_modules/@agentclientprotocol/sdk/schema/v1/schema.json";
const schema = JSON.parse(readFileSync(schemaFile, "utf8"));
const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
ajv.addSchema(schema, "acp");
const root = ajv.getSchema("acp");
const shapes = { request: {}, response: {}, notification: {} };
for (const [name, shape] of Object.entries(schema.$defs)) {
    const kind = /(Request|Response|Notification)$/.exec(name)?.[1].toLowerCase();
    if (shape["x-method"] && kind) shapes[kind][shape["x-method"]] = ajv.getSchema(`acp#/$defs/${name}`);
}

function fail(why) {
    console.error(`${why}\n${JSON.stringify(seen)}`);
    agent.kill();
    process.exit(1);
}

// Responses carry no method, so it is remembered what was asked.
const wanted = new Map();

function check(line) {
    seen.messages += 1;
    let message;
    try {
        message = JSON.parse(line);
    } catch {
        return fail(`no message: ${line.slice(0, 300)}`);
    }
    if (!root(message)) fail(`not valid: ${line.slice(0, 2000)}\n${ajv.errorsText(root.errors)}`);
    const hold = (shape, value, what) => {
        if (!shape) fail(`the schema knows no ${what}`);
        if (!shape(value)) fail(`${what} is not valid: ${line.slice(0, 2000)}\n${ajv.errorsText(shape.errors)}`);
        seen.methods[what] = (seen.methods[what] ?? 0) + 1;
    };
    if (message.method === undefined) {
        const method = wanted.get(message.id);
        if (message.error === undefined) hold(shapes.response[method], message.result, `response ${method}`);
        return;
    }
    const kind = message.id === undefined ? "notification" : "request";
    hold(shapes[kind][message.method], message.params, `${kind} ${message.method}`);
}

const agent = spawn(told.command, told.args, { cwd: told.cwd, env: process.env });
agent.stderr.on("data", (data) => { seen.stderr += data; });
const gone = new Promise((resolve) => agent.on("exit", (code, signal) => resolve(code ?? signal)));

const [heard, checked] = Readable.toWeb(agent.stdout).tee();
const drained = (async () => {
    let rest = "";
    const decoder = new TextDecoder();
    for await (const bytes of checked) {
        const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
        rest = lines.pop();
        lines.forEach(check);
    }
    if (rest !== "") fail(`half a message: ${rest.slice(0, 300)}`);
})();
const tap = new TransformStream({
    transform(message, out) {
        if (message.method !== undefined && message.id !== undefined) wanted.set(message.id, message.method);
        out.enqueue(message);
    },
});
const stream = acp.ndJsonStream(Writable.toWeb(agent.stdin), heard);
tap.readable.pipeTo(stream.writable).catch(() => {});

// Whoever waits for something looks again whenever anything happens.
let waiting = [];
function happened() {
    const all = waiting;
    waiting = [];
    all.forEach((wake) => wake());
}
async function until(holds) {
    while (!holds()) await new Promise((wake) => waiting.push(wake));
}

const sessions = {};
const updates = new Map();
const stopped = new Set();
const of = (id) => {
    if (!updates.has(id)) updates.set(id, []);
    return updates.get(id);
};

const client = acp
    .client({ name: "test" })
    .onNotification("session/update", ({ params }) => {
        of(params.sessionId).push(params.update);
        happened();
    })
    .onRequest("session/request_permission", async ({ params }) => {
        seen.asked.push(params);
        happened();
        const answer = told.answers.shift();
        if (answer !== undefined && answer !== "wait") return { outcome: { outcome: "selected", optionId: answer } };
        await until(() => stopped.has(params.sessionId));
        return { outcome: { outcome: "cancelled" } };
    })
    .onRequest("elicitation/create", ({ params }) => {
        seen.forms.push(params);
        return told.forms.shift() ?? { action: "decline" };
    });

function kept(name, work) {
    const answer = work.then(
        (value) => ({ value }),
        (error) => ({ error: { code: error.code, message: error.message, data: error.data } }),
    );
    return answer.then((answer) => {
        seen.answers[name] = answer;
        happened();
        return answer;
    });
}

async function step(agent, { does, session, ...more }) {
    const sessionId = sessions[session];
    switch (does) {
        case "open": {
            const { cwd, servers } = more;
            const answer = await kept(session, agent.request("session/new", { cwd, mcpServers: servers ?? [] }));
            sessions[session] = answer.value?.sessionId;
            return;
        }
        case "load":
        case "resume": {
            const sessionId = more.id ?? sessions[more.of];
            sessions[session] = sessionId;
            const params = { sessionId, cwd: more.cwd, mcpServers: [] };
            return kept(session, agent.request(`session/${does}`, params));
        }
        case "prompt":
            kept(more.as, agent.request("session/prompt", { sessionId, prompt: more.blocks }));
            return;
        case "answered":
            return until(() => seen.answers[more.as] !== undefined);
        case "told":
            return until(() => of(sessionId).some((update) => JSON.stringify(update).includes(more.text)));
        case "asked":
            return until(() => seen.asked.length >= more.times);
        case "stop":
            stopped.add(sessionId);
            await agent.notify("session/cancel", { sessionId });
            happened();
            return;
        case "request": {
            const params = sessionId === undefined ? more.params : { sessionId, ...more.params };
            return kept(more.as, agent.request(more.method, params));
        }
        default:
            fail(`no such step: ${does}`);
    }
}

const guard = setTimeout(() => fail("it takes too long"), patience);
await client.connectWith({ readable: stream.readable, writable: tap.writable }, async (agent) => {
    const clientCapabilities = told.capabilities;
    await kept("initialize", agent.request("initialize", { protocolVersion: 1, clientCapabilities }));
    for (const next of told.steps) await step(agent, next);
});
agent.stdin.end();
seen.exit = await gone;
await drained;
for (const [name, id] of Object.entries(sessions)) seen.sessions[name] = { id, updates: of(id) };
clearTimeout(guard);
process.stdout.write(`${JSON.stringify(seen)}\n`, () => process.exit(0));

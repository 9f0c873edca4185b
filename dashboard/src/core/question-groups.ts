// Which open questions of a session are shown and answered together: the approvals of calls, except that of a plan.

import type { Answer, Approval, OpenQuestion } from './wire.ts';

/** An open question about a call. */
export interface OpenApproval extends OpenQuestion {
  question: { approval: Approval };
}

/** The questions of one card: a single one, or several approvals. */
export type QuestionGroup = { kind: 'single'; open: OpenQuestion } | { kind: 'approvals'; group: readonly OpenApproval[] };

/** The questions of a session by card, in order, and the calls of a card in theirs. Those in `separate` are answered by themselves. */
export function groupQuestions(questions: readonly OpenQuestion[], separate: ReadonlySet<number>): readonly QuestionGroup[] {
  const ordered = inCallOrder(questions);
  const joined = ordered.filter((open): open is OpenApproval => mayJoin(open) && !separate.has(open.id));
  if (joined.length < 2) return ordered.map((open) => ({ kind: 'single', open }));
  const members = new Set<OpenQuestion>(joined);
  return ordered.flatMap((open): QuestionGroup[] => {
    if (!members.has(open)) return [{ kind: 'single', open }];
    return open === joined[0] ? [{ kind: 'approvals', group: joined }] : [];
  });
}

/** The calls of one reply are asked about in any order; they are shown in theirs, and other questions stay where they are. */
function inCallOrder(questions: readonly OpenQuestion[]): readonly OpenQuestion[] {
  const calls = questions.filter(mayJoin).sort((one, other) => (one.question.approval.call ?? 0) - (other.question.approval.call ?? 0));
  let next = 0;
  return questions.map((open) => (mayJoin(open) ? (calls[next++] ?? open) : open));
}

function mayJoin(open: OpenQuestion): open is OpenApproval {
  return 'approval' in open.question && !open.question.approval.reasons.includes('leaves_plan');
}

/**
 * The answers that allow the families of all calls; null if a call has none. The first answer for a family also answers the other
 * calls of that family.
 */
export function familyAnswers(group: readonly OpenApproval[]): { label: string; answers: readonly { open: OpenApproval; answer: Answer }[] } | null {
  const first = new Map<string, OpenApproval>();
  for (const open of group) {
    const { family, always } = open.question.approval;
    if (!family || always === null) return null;
    if (!first.has(family)) first.set(family, open);
  }
  return { label: [...first.keys()].join('; '), answers: [...first.values()].map((open) => ({ open, answer: 'family' as const })) };
}

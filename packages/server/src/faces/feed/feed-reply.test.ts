import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rowRefused } from './feed-refusal.ts'
import { answerByStatus, type FeedReply, STATUS_REPLIES, tallyOf } from './feed-reply.ts'
import type { Rejected, RowOutcome } from './packet.ts'

function rejected(resend: Rejected['resend']): Rejected {
  return { reason: `is_${resend}`, message: 'so it is', resend }
}

/** A tracker's own words, each with a status of its own. */
function said(status: number) {
  return ({ reason }: Rejected): FeedReply => ({ status, headers: [], body: reason })
}

const OWN = answerByStatus({
  taken: { status: 200, headers: [], body: 'ON' },
  later: said(503),
  waiting: said(200),
  never: said(403),
})

/** The status that `answer` gives these outcomes, with the body or the code of the refusal. */
function answered(answer: typeof OWN, ...outcomes: RowOutcome[]): [number, string] {
  const reply = answer([], outcomes, tallyOf(outcomes))
  return [reply.status, 'errorCode' in reply ? reply.errorCode : reply.body]
}

test('a format states its own reply for every outcome', () => {
  const [never, waiting, later] = (['never', 'waiting', 'later'] as const).map(rejected) as [
    Rejected,
    Rejected,
    Rejected,
  ]
  const noted = rejected('needless')
  for (const taken of [[], ['stored'], ['duplicate', 'conflict'], [noted], ['stored', never]]) {
    assert.deepEqual(answered(OWN, ...(taken as RowOutcome[])), [200, 'ON'])
  }
  assert.deepEqual(answered(OWN, never, never), [403, 'is_never'])
  assert.deepEqual(answered(OWN, never, noted), [200, 'ON'])
  assert.deepEqual(answered(OWN, 'stored', waiting, never), [200, 'is_waiting'])
  assert.deepEqual(answered(OWN, waiting, 'stored', later), [503, 'is_later'])
})

test('other formats share the replies by status', () => {
  const shared = answerByStatus(STATUS_REPLIES)
  assert.deepEqual(answered(shared, 'stored'), [200, ''])
  assert.deepEqual(answered(shared, rejected('later')), [429, 'FEED.429_001'])
  assert.deepEqual(answered(shared, rejected('never')), [
    400,
    rowRefused(rejected('never')).errorCode,
  ])
  assert.deepEqual(answered(shared, rejected('waiting')), [
    202,
    '{"statusCode":202,"message":"is_waiting: so it is"}',
  ])
})

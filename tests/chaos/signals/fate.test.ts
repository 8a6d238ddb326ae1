import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Asked } from './asking.ts'
import { fateOf } from './fate.ts'

const SIGNALLED_AT = 1_000
const sent: Asked = {
  load: 'any',
  madeAt: 0,
  usedAt: 900,
  historyAskedAt: undefined,
  sentAt: 1_100,
  requests: 1,
  answered: 0,
  outcome: 'none',
  fault: 'ECONNRESET',
}

it('A request without an answer has failed, unless HTTP/1.1 leaves it open', () => {
  const cases: [Partial<Asked>, string][] = [
    [{ outcome: 'answered' }, 'answered'],
    [{}, 'failed'],
    [{ sentAt: 990 }, 'failed'],
    [{ sentAt: 1_850 }, 'failed'],
    [{ sentAt: 1_950 }, 'raced'],
    [{ sentAt: 1_950, usedAt: 1_500 }, 'failed'],
    [{ sentAt: 1_950, outcome: 'cut' }, 'failed'],
    [{ sentAt: 1_950, outcome: 'wrong' }, 'failed'],
    [{ historyAskedAt: 950, usedAt: 1_050 }, 'raced'],
    [{ historyAskedAt: 850, usedAt: 900 }, 'failed'],
    [{ historyAskedAt: 1_020, usedAt: 1_050 }, 'failed'],
    [{ madeAt: 1_050 }, 'reset'],
    [{ madeAt: 1_050, outcome: 'cut' }, 'failed'],
  ]
  for (const [what, fate] of cases) {
    assert.equal(fateOf({ ...sent, ...what }, SIGNALLED_AT), fate, JSON.stringify(what))
  }
})

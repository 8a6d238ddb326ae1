import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Registry } from 'prom-client'
import { handedClock } from '../../testing/handed-clock.ts'
import { valuesOf } from '../../testing/values-of.ts'
import { QuotaUnavailable } from '../data/live/realtime.ts'
import { type Store, StoreUnavailable } from '../engine/store/store.ts'
import { DamagedPositions } from '../engine/tracking/work.ts'
import { openOutageLog } from './outage-log.ts'

type Line = { level: 'error' | 'line'; msg: string; [field: string]: unknown }

/** An outage log over a store that the test takes down, and a clock that the test turns. */
function opened() {
  const clock = handedClock()
  const registry = new Registry()
  const lines: Line[] = []
  const turns: (() => void)[] = []
  const state = { isDown: false }
  const find = async () => {
    if (state.isDown) throw new StoreUnavailable('down')
  }
  const log = openOutageLog(
    {
      store: { organizations: { find } } as unknown as Store,
      clock,
      logger: {
        line: (members) => void lines.push({ level: 'line', ...JSON.parse(`{${members}}`) }),
        error: (fields, msg) => void lines.push({ level: 'error', ...fields, msg }),
      },
    },
    registry,
    () => new Promise((resolve) => turns.push(resolve)),
  )
  return {
    ...{ log, lines, state, registry },
    /** Lets seconds pass, with what happens in each. */
    async seconds(count: number): Promise<void> {
      for (let each = 0; each < count; each += 1) {
        clock.advanceUs(1_000_000)
        for (const turn of turns.splice(0)) turn()
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
  }
}

const down = () => ({ err: new StoreUnavailable('The store cannot answer: x.') })

it('a damaged block in the log is a line each time, and counts once', async () => {
  const { log, lines, registry } = opened()
  for (const object of [7, 7, 8]) {
    const err = new DamagedPositions({ organization: 1, object, first: 0, last: 9 })
    log.logger.error({ err }, 'expired positions could not be deleted')
  }
  assert.equal(lines.length, 3)
  assert.match(await registry.metrics(), /^fleetgate_damaged_blocks_total 2$/m)
})

describe('An outage in the log', () => {
  it('is one line, then a count, then a line that says how long it took and what failed', async () => {
    const { log, lines, state, seconds, registry } = opened()
    state.isDown = true
    log.logger.error({ ...down(), request_id: 'a1' }, 'The store cannot answer: x.')
    for (let count = 0; count < 40; count += 1) {
      log.logger.error({ ...down(), request_id: `b${count}` }, 'The store cannot answer: x.')
      log.logger.error(down(), 'records cannot be derived just now')
      await seconds(1)
    }
    assert.equal(lines.length, 1)
    const { level, request_id, part, msg } = lines[0]!
    assert.deepEqual([level, request_id, part], ['error', 'a1', 'store'])
    assert.match(
      msg,
      /^The store cannot answer: x\. Check the database .* counted until it answers/,
    )
    state.isDown = false
    await seconds(20)
    assert.deepEqual(lines.slice(1), [
      {
        ...{ level: 'line', part: 'store', down_ms: 40_000, requests: 41, tasks: 40 },
        msg: 'the store answers again',
      },
    ])
    const text = await registry.metrics()
    assert.match(text, /fleetgate_outage_failures_total\{part="store",failed="requests"\} 41/)
    assert.match(text, /fleetgate_outage_failures_total\{part="store",failed="tasks"\} 40/)
  })

  it('lasts as long as the store does not answer, also if nobody asks', async () => {
    const { log, lines, state, seconds } = opened()
    state.isDown = true
    log.logger.error(down(), 'old changes could not be deleted')
    await seconds(3_600)
    assert.equal(lines.length, 1)
    assert.equal(lines[0]!.task, 'old changes could not be deleted')
    state.isDown = false
    await seconds(20)
    assert.equal(lines[1]!.down_ms, 3_600_000)
  })

  it('is one although some calls succeed between the failures', async () => {
    const { log, lines, seconds } = opened()
    for (let count = 0; count < 100; count += 1) {
      log.logger.error(down(), 'x')
      await seconds(5)
    }
    assert.equal(lines.length, 1)
  })

  it('with another cause is logged again', async () => {
    const { log, lines } = opened()
    for (const why of ['the disk is full', 'no answer for 7 ms', 'no answer for 8 ms', 'damaged']) {
      log.logger.error({ err: new StoreUnavailable(why), request_id: '1' }, why)
      log.logger.error({ err: new StoreUnavailable(why), request_id: '2' }, why)
    }
    for (const why of ['PostgreSQL cannot be reached', 'the connection to PostgreSQL was lost']) {
      log.logger.error({ err: new StoreUnavailable(why) }, why)
    }
    const causes = lines.map(({ msg }) => msg.split('. ')[0])
    const expected = [
      'the disk is full',
      'no answer for 7 ms',
      'damaged',
      'PostgreSQL cannot be reached',
    ]
    assert.deepEqual(causes, expected)
  })

  it('has lines of its own for each part', async () => {
    const { log, lines, seconds } = opened()
    const error = new QuotaUnavailable('The quota’s counters cannot be reached.')
    log.logger.error({ err: error, request_id: '1' }, error.message)
    log.logger.error({ ...down(), request_id: '2' }, 'x')
    log.logger.error({ err: error, request_id: '3' }, error.message)
    await seconds(20)
    assert.deepEqual(
      lines.map(({ level, part, requests }) => [level, part, requests]),
      [
        ['error', 'limits', undefined],
        ['error', 'store', undefined],
        ['line', 'limits', 2],
        ['line', 'store', 1],
      ],
    )
  })

  it('is logged again if it comes back, and other errors always are', async () => {
    const { log, lines, seconds } = opened()
    log.logger.error(down(), 'x')
    await seconds(20)
    log.logger.error(down(), 'x')
    for (let count = 0; count < 3; count += 1) log.logger.error({ err: new Error('b') }, 'broken')
    assert.equal(valuesOf(lines, 'level').join(' '), 'error line error error error error')
  })
})

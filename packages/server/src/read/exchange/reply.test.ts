import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { describe, it } from 'node:test'
import { clientGone } from '../../base/http/send-whole.ts'
import { ForeignValue, QuotaUnavailable } from '../../data/live/realtime.ts'
import { StoreUnavailable } from '../../engine/store/store.ts'
import { failureRefusal, matchesTag } from './reply.ts'

describe('An If-None-Match header', () => {
  it('matches a strong or weak tag, alone or in a list', () => {
    for (const header of [
      'W/"abc"',
      '"abc"',
      ' W/"abc" ',
      'W/"x", W/"abc"',
      'W/"x","abc","y"',
      '"x",\t"abc"',
      ', "abc"',
      '*',
      ' * ',
    ]) {
      assert.equal(matchesTag(header, 'abc'), true, header)
    }
  })

  it('matches one of the first hundred tags', () => {
    assert.equal(matchesTag(`${'"x",'.repeat(99)}"abc"`, 'abc'), true)
    assert.equal(matchesTag(`${'"x",'.repeat(100)}"abc"`, 'abc'), false)
  })

  it('does not match a similar text', () => {
    for (const header of [
      undefined,
      '',
      'abc',
      'w/"abc"',
      'W/abc',
      '"abcd"',
      '"ab"',
      '"ABC"',
      'W/"x"',
      '"*"',
      'W/W/"abc"',
      '"abc',
      '*, "x"',
    ]) {
      assert.equal(matchesTag(header, 'abc'), false, header)
    }
  })
})

/** The refusal of an exception, and what was logged. */
function refusalOf(error: unknown, connection = new Socket()) {
  const logged: unknown[] = []
  const log = { request: () => undefined, failure: (failure: unknown) => logged.push(failure) }
  const { status } = failureRefusal({ log } as never, { id: '1', connection }, error)
  return { status, logged }
}

describe('The refusal of an exception', () => {
  it('is a 500 for an unknown one and a 503 for an outage, and both are logged', () => {
    const [unknown, outage] = [new Error('broken'), new StoreUnavailable('down')]
    assert.deepEqual(refusalOf(unknown), { status: 500, logged: [unknown] })
    assert.deepEqual(refusalOf(outage), { status: 503, logged: [outage] })
  })

  it('is a 503 for a value of another program, which has its own line in the log', () => {
    const foreign = new ForeignValue('written by another program')
    assert.deepEqual(refusalOf(foreign), { status: 503, logged: [] })
    const counters = new QuotaUnavailable('cannot be reached', { cause: foreign })
    assert.deepEqual(refusalOf(counters), { status: 503, logged: [] })
  })

  it('is not logged if the work ended because its client has gone', () => {
    const connection = new Socket().destroy()
    const { reason } = clientGone(connection)
    assert.deepEqual(refusalOf(reason, connection), { status: 503, logged: [] })
    assert.equal(refusalOf(new Error('broken'), connection).logged.length, 1)
  })
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { wantsEvents } from './wants-events.ts'

describe('A client', () => {
  it('gets events if it names them', () => {
    for (const header of [
      'text/event-stream',
      'TEXT/Event-Stream',
      'text/event-stream, */*;q=0.1',
      'application/json;q=0.5, text/event-stream',
    ]) {
      assert.ok(wantsEvents(header), header)
    }
  })

  it('gets JSON otherwise', () => {
    for (const header of [
      undefined,
      '',
      '*/*',
      'text/*',
      'application/json',
      'application/json, text/event-stream',
      'text/event-stream;q=0',
      'application/json, text/event-stream;q=0.9',
      'text/event-streams',
    ]) {
      assert.ok(!wantsEvents(header), header)
    }
  })
})

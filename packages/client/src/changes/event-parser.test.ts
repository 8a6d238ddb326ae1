import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { UnexpectedAnswerError } from '../errors.ts'
import { readEvents, type ServerEvent } from './event-parser.ts'

async function* pieces(text: string, lengths: number[]): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const length = lengths[i % lengths.length]!
    yield bytes.subarray(at, at + length)
    at += length
  }
}

async function eventsIn(text: string, lengths = [text.length]): Promise<ServerEvent[]> {
  const events: ServerEvent[] = []
  for await (const event of readEvents(pieces(text, lengths))) events.push(event)
  return events
}

const anyLengths = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 })
const anyEnding = fc.constantFrom('\n', '\r', '\r\n')
const anyLine = fc
  .oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('', ' ', ':', '{"a":":"}', 'data: x'))
  .filter((line) => !/[\r\n\ufeff]/.test(line))
const anyEvent = fc.record({
  event: fc.constantFrom(undefined, 'resync', 'error'),
  data: fc.array(anyLine, { minLength: 1, maxLength: 3 }),
  comments: fc.array(anyLine, { maxLength: 2 }),
  ending: anyEnding,
})

describe('A stream of events', () => {
  it('is read alike however its bytes are split', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyEvent), anyLengths, async (events, lengths) => {
        const text = events
          .map(({ event, data, comments, ending }) =>
            [
              ...comments.map((comment) => `:${comment}`),
              ...(event === undefined ? [] : [`event: ${event}`]),
              ...data.map((line) => `data: ${line}`),
              'unknown: field',
              ...['', ''],
            ].join(ending),
          )
          .join('')
        assert.deepEqual(
          await eventsIn(text, lengths),
          events.map(({ event = 'message', data }) => ({
            ...{ event, data: data.join('\n'), retryMs: undefined },
          })),
        )
      }),
    )
  })

  it('says when to come again', async () => {
    const events = await eventsIn('retry: 2000\n\ndata: a\n\nretry: soon\n\ndata: b\n\n')
    assert.deepEqual(
      events.map(({ data, retryMs }) => [data, retryMs]),
      [
        ['a', 2_000],
        ['b', 2_000],
      ],
    )
  })

  it('leaves out an event that it cuts off, and blocks without data', async () => {
    const whole = ': hello\n\nevent: nothing\n\ndata: a\n\n'
    for (const cut of ['', 'd', 'data: b', 'data: b\n']) {
      assert.deepEqual(
        (await eventsIn(whole + cut)).map(({ data }) => data),
        ['a'],
      )
    }
  })

  it('has neither a byte order mark nor more than one space before a value', async () => {
    const [event] = await eventsIn('\ufeffevent:error\ndata:  two\ndata\n\n')
    assert.deepEqual([event!.event, event!.data], ['error', ' two\n'])
  })

  it('is given up if a line or an event never ends', async () => {
    for (const endless of ['data: x', 'x', 'data: x\n']) {
      async function* flood() {
        for (;;) yield new TextEncoder().encode(endless)
      }
      await assert.rejects(async () => {
        for await (const _ of readEvents(flood(), 1_000)) assert.fail('there is no event')
      }, UnexpectedAnswerError)
    }
  })
})

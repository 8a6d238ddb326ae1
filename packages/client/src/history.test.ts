import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { type Answering, openConnection } from './answering-server.fixture.ts'
import type { Connection } from './connection.ts'
import { ConnectionError } from './errors.ts'
import { history } from './history.ts'

const ROWS = 20
const timeOf = (row: number) => new Date(row * 1_000).toISOString()
const ALL = Array.from({ length: ROWS }, (_, row) => timeOf(row))

/** Sends the requested rows, and breaks off after row number `breakAfter` of the whole history. */
function rowsUpTo(breakAfter: (asked: number) => number): Answering {
  return (response, asked, { url }) => {
    const query = new URL(url!, 'http://x').searchParams
    const from = query.get('from_time')!
    const wanted = ALL.filter((time) => time >= from)
    const page = wanted.slice(0, Number(query.get('limit') ?? ROWS))
    const rest = wanted[page.length]
    if (rest !== undefined) {
      const next = `/public/v1/objects/3/positions?from_time=${rest}&limit=${query.get('limit')}`
      response.setHeader('link', `<${next}>; rel="next"`)
    }
    const sent = page.filter((time) => ALL.indexOf(time) <= breakAfter(asked))
    const text = (times: string[]) => times.map((time_device) => JSON.stringify({ time_device }))
    if (sent.length === page.length) {
      response.end(`{"statusCode":200,"result":[${text(page)}]}`)
      return
    }
    response.write(`{"statusCode":200,"result":[${text(sent)}`, () =>
      setImmediate(() => response.destroy()),
    )
  }
}

async function read(
  t: TestContext,
  answering: Answering,
  range: { resume?: boolean; pageSize?: number },
  more: Partial<Connection> = {},
) {
  const { connection, asked, paused } = await openConnection(t, answering, more)
  const times: string[] = []
  const whole = { from: timeOf(0), to: timeOf(ROWS), ...range }
  let error: unknown
  try {
    for await (const row of history(connection, 3, whole)) times.push(row.time_device)
  } catch (thrown) {
    error = thrown
  }
  return { times, error, asked: asked(), paused }
}

describe('A history that breaks off', () => {
  it('rejects after the received rows by default', async (t) => {
    const { times, error, asked } = await read(
      t,
      rowsUpTo(() => 6),
      {},
    )
    assert.ok(error instanceof ConnectionError)
    assert.deepEqual([times, asked], [ALL.slice(0, 7), 1])
  })

  it('resumes after the last row on request', async (t) => {
    const { times, error, asked, paused } = await read(
      t,
      rowsUpTo((asked) => asked * 6),
      { resume: true },
    )
    assert.equal(error, undefined)
    assert.deepEqual([times, asked], [ALL, 4])
    assert.deepEqual(paused, [1_000, 1_000, 1_000])
  })

  it('resumes within pages', async (t) => {
    const { times, error } = await read(
      t,
      rowsUpTo((asked) => asked * 4),
      {
        ...{ resume: true, pageSize: 5 },
      },
    )
    assert.equal(error, undefined)
    assert.deepEqual(times, ALL)
  })

  it('is given up after attempts without progress', async (t) => {
    const { times, error, asked, paused } = await read(
      t,
      rowsUpTo(() => 6),
      { resume: true },
    )
    assert.ok(error instanceof ConnectionError)
    assert.deepEqual([times, asked], [ALL.slice(0, 7), 4])
    assert.deepEqual(paused, [1_000, 2_000, 4_000])
  })

  it('is requested again if the server is down meanwhile', async (t) => {
    const { times, error } = await read(
      t,
      (response, asked, message) => {
        if (asked === 1 || asked === 3) response.destroy()
        else rowsUpTo(() => (asked === 2 ? 9 : ROWS))(response, asked, message)
      },
      { resume: true },
    )
    assert.equal(error, undefined)
    assert.deepEqual(times, ALL)
  })
})

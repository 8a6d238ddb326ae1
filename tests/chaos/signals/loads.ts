import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import type { Random } from '../../../packages/server/testing/random.ts'
import type { Answer } from './answers.ts'
import type { Sent } from './connection.ts'
import { type Caller, HISTORY_RANGE, sentMoments } from './fleet.ts'

/** A kind of client, which sends, waits for the answer, and sends again. */
export type Load = {
  name: string
  listener: 'api' | 'feed'
  /** The number of such clients. */
  clients: number
  /** Whether each request has a connection of its own. */
  isNew: boolean
  /** Whether its callers need a history. */
  ofHistory: boolean
  /** The pause of a client between two requests. */
  thinkMs(random: Random): number
  /** The next request of a client. */
  next(caller: Caller, random: Random): Sent
  /** The fault of an answer; undefined if it is right. */
  judge(answer: Answer, caller: Caller): string | undefined
}

const AT_ONCE = () => 0
export const BATCH = 20
const PIPELINED = 6
const PIECES = 5
const PIECE_PAUSE_MS = 90
const DECODERS = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync }

/** All kinds, each with as many clients as a small machine can handle. */
export function allLoads(): Load[] {
  const nextMoment = sentMoments()
  const batch = (caller: Caller) => feedRequest(caller, BATCH, nextMoment)
  const common = { isNew: false, ofHistory: false, thinkMs: AT_ONCE }
  const api = { ...common, listener: 'api', judge: judgeRead } as const
  const history = { ...api, clients: 2, ofHistory: true, judge: judgeHistory }
  const feed = { ...common, listener: 'feed', judge: judgeBatch } as const
  return [
    { ...api, name: 'keep-alive', clients: 6, next: one(anyRead) },
    { ...api, name: 'a connection each', clients: 2, isNew: true, next: one(anyRead) },
    { ...api, name: 'now and then', clients: 6, thinkMs: thinking, next: one(anyRead) },
    { ...api, name: 'pipelined', clients: 2, next: pipelined },
    { ...api, name: 'headers in pieces', clients: 2, next: inPieces(anyRead) },
    { ...history, name: 'long history, read late', next: historyRequest('', 300) },
    { ...history, name: 'long history, compressed', next: historyRequest('any', 0) },
    { ...feed, name: 'feed batches', clients: 2, next: one(batch) },
    { ...feed, name: 'feed batches in pieces', clients: 2, next: inPieces(batch) },
  ]
}

function thinking(random: Random): number {
  return random.between(0, 1_500)
}

function request(caller: Caller, path: string, headers = ''): string {
  return `GET /public/v1${path} HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: ${caller.key}\r\n${headers}\r\n`
}

function anyRead(caller: Caller, random: Random): string {
  const { object } = caller
  const path = random.pick([
    '/ping',
    '/ping',
    `/objects/${object}`,
    '/objects',
    `/positions/latest?ids=${object}`,
  ])
  return request(caller, path)
}

type Make = (caller: Caller, random: Random) => string

function one(make: Make): Load['next'] {
  return (caller, random) => ({ pieces: [make(caller, random)], count: 1 })
}

function pipelined(caller: Caller, random: Random): Sent {
  const all = Array.from({ length: PIPELINED }, () => anyRead(caller, random))
  return { pieces: [all.join('')], count: PIPELINED }
}

function inPieces(make: Make): Load['next'] {
  return (caller, random) => {
    const text = make(caller, random)
    const size = Math.ceil(text.length / PIECES)
    const pieces = Array.from({ length: PIECES }, (_, i) => text.slice(i * size, (i + 1) * size))
    return { pieces, count: 1, pauseMs: PIECE_PAUSE_MS }
  }
}

function historyRequest(coding: '' | 'any', readAfterMs: number): Load['next'] {
  return (caller, random) => {
    const accepted = random.pick(Object.keys(DECODERS))
    const path = `/objects/${caller.object}/positions?${HISTORY_RANGE}`
    const headers = coding === '' ? '' : `Accept-Encoding: ${accepted}\r\n`
    return { pieces: [request(caller, path, headers)], count: 1, readAfterMs }
  }
}

function feedRequest({ ident, token }: Caller, rows: number, nextMoment: () => number): string {
  const body = JSON.stringify(
    Array.from({ length: rows }, () => {
      return { ident, time_device: nextMoment(), latitude: 41, longitude: 2, speed: 50 }
    }),
  )
  return `POST /feed/v1/positions HTTP/1.1\r\nHost: localhost\r\nX-Feed-Token: ${token}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

/** A 429 counts as right: the window is not under test here. */
function judgeRead(answer: Answer): string | undefined {
  const { statusCode } = JSON.parse(answer.body.toString())
  if (statusCode !== answer.status) return `status ${answer.status}, body ${statusCode}`
  return answer.status === 200 || answer.status === 429 ? undefined : `status ${answer.status}`
}

/** Checks its ends and its row count: parsing would slow down the measuring clients. */
function judgeHistory(answer: Answer, { rows }: Caller): string | undefined {
  if (answer.status !== 200) return judgeRead(answer)
  const decode = DECODERS[answer.coding as keyof typeof DECODERS]
  const body = decode === undefined ? answer.body : decode(answer.body)
  const [start, end] = [body.toString('latin1', 0, 18), body.toString('latin1', body.length - 2)]
  if (start !== '{"statusCode":200,' || end !== ']}') return `not whole: ${start} … ${end}`
  const counted = occurrences(body, '"time_device"')
  return counted === rows ? undefined : `${counted} of ${rows} rows`
}

function occurrences(body: Buffer, text: string): number {
  let count = 0
  for (let at = body.indexOf(text); at !== -1; at = body.indexOf(text, at + text.length)) count++
  return count
}

function judgeBatch(answer: Answer): string | undefined {
  if (answer.status !== 200) return `status ${answer.status}`
  const { stored } = JSON.parse(answer.body.toString()).result
  return stored === BATCH ? undefined : `${stored} of ${BATCH} stored`
}

import assert from 'node:assert/strict'
import { clock } from './clock.ts'
import type { Json } from './fleetgate.ts'

/** Exactly `2026-11-20T10:00:00.000Z`. */
export const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

type Shown = { status: number; text?: string; json: Json }

/** Checks the envelope of a 200 and returns its `result`. */
export function resultOf(answer: Shown): Json {
  assert.equal(answer.status, 200, `expected a 200, got: ${answer.text?.slice(0, 400)}`)
  const body = answer.json
  assert.deepEqual(Object.keys(body), ['statusCode', 'result'])
  assert.equal(body.statusCode, 200)
  return body.result
}

/** Checks status and error body: its four fields, the code, the message and a current timestamp. */
export function assertRefused(
  answer: Shown,
  status: number,
  errorCode: string,
  message: string | RegExp = /\S/,
): void {
  assert.equal(answer.status, status, `expected ${status}, got: ${answer.text?.slice(0, 400)}`)
  const body = answer.json
  assert.deepEqual(Object.keys(body), ['statusCode', 'errorCode', 'message', 'timestamp'])
  assert.equal(body.statusCode, status)
  assert.equal(body.errorCode, errorCode)
  if (typeof message === 'string') assert.equal(body.message, message)
  else assert.match(body.message, message)
  assert.match(body.timestamp, INSTANT)
  assert.ok(Math.abs(clock.now() - Date.parse(body.timestamp)) < 60_000, body.timestamp)
}

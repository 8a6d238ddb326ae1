import assert from 'node:assert/strict'
import { test } from 'node:test'

const { FLEETGATE_API: api = 'http://127.0.0.1:7070/public/v1' } = process.env
const { STANDARD_KEY, LIMITED_KEY, CUT_KEY } = process.env
const call = (key, path) => fetch(api + path, { headers: { 'x-api-key': key } })

test('a vehicle that never reported has no coordinates', async () => {
  const { result } = await (await call(STANDARD_KEY, '/objects/3')).json()
  assert.equal(result.latitude, null)
})

test('a 429 says when to try again', async () => {
  const answer = await call(LIMITED_KEY, '/objects')
  assert.deepEqual([answer.status, answer.headers.get('retry-after')], [429, '1'])
})

test('an answer that breaks off is an error, not a short list', async () => {
  await assert.rejects((await call(CUT_KEY, '/objects')).json())
})

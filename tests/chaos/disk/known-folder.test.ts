import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { verdictOf } from './known-folder.ts'

const RIGHT = '{"statusCode":200,"result":[1,2]}'
const UNAVAILABLE = JSON.stringify({
  statusCode: 503,
  errorCode: 'ERR999',
  message: 'The service is temporarily unavailable.',
  timestamp: '2026-11-20T10:00:00.000Z',
})

describe('The verdict on an answer over a damaged database', () => {
  it('is right for the right bytes only', () => {
    assert.equal(verdictOf({ status: 200, text: RIGHT }, RIGHT), 'right')
    assert.equal(
      verdictOf({ status: 200, text: '{"statusCode":200,"result":[1]}' }, RIGHT),
      'wrong',
    )
  })

  it('is an error for a clear refusal', () => {
    assert.equal(verdictOf({ status: 503, text: UNAVAILABLE }, RIGHT), 'error')
    assert.equal(verdictOf(new Error('aborted'), RIGHT), 'error')
  })

  it('is wrong for a false error, or one outside the contract', () => {
    const missing = UNAVAILABLE.replace('503', '404')
    assert.equal(verdictOf({ status: 404, text: missing }, RIGHT), 'wrong')
    assert.equal(verdictOf({ status: 503, text: 'oops' }, RIGHT), 'wrong')
    assert.equal(verdictOf({ status: 500, text: UNAVAILABLE }, RIGHT), 'wrong')
  })
})

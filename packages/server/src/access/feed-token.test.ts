import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Credential } from '../domain/credential.ts'
import { authenticateFeedToken } from './feed-token.ts'
import { API_KEY, FEED_TOKEN, newSecret } from './secret.ts'

it('a feed token is looked up by its hash, and what cannot be one is not', () => {
  const right = newSecret(FEED_TOKEN)
  const other = newSecret(FEED_TOKEN)
  const key = newSecret(API_KEY)
  const record = { id: 7 } as Credential
  const asked: string[] = []
  const find = (hash: string) => {
    asked.push(hash)
    // An API key of the same store would be found, if it were only looked up.
    return hash === right.hash || hash === key.hash ? record : undefined
  }
  assert.equal(authenticateFeedToken(right.secret, find), record)
  assert.equal(authenticateFeedToken(other.secret, find), undefined)
  for (const wrong of ['', key.secret, right.secret.slice(0, -1), ` ${right.secret}`]) {
    assert.equal(authenticateFeedToken(wrong, find), undefined)
  }
  assert.deepEqual(asked, [right.hash, other.hash])
})

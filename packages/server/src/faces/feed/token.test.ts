import assert from 'node:assert/strict'
import { it } from 'node:test'
import { API_KEY, FEED_TOKEN, newSecret } from '../../base/access/secret.ts'
import type { Credential } from '../../base/domain/credential.ts'
import { feedTokenFinder } from './token.ts'

it('a feed token is looked up by its hash, unless its form is invalid', () => {
  const right = newSecret(FEED_TOKEN)
  const other = newSecret(FEED_TOKEN)
  const key = newSecret(API_KEY)
  const record = { id: 7 } as Credential
  const asked: [string, number][] = []
  const used: [Credential, number][] = []
  const findToken = feedTokenFinder({
    find(hash, now) {
      asked.push([hash, now])
      // A lookup of an API key would succeed.
      return hash === right.hash || hash === key.hash ? record : undefined
    },
    noteUse: (token, now) => used.push([token, now]),
  })
  assert.equal(findToken(right.secret, 5), record)
  assert.equal(findToken(other.secret, 6), undefined)
  for (const wrong of ['', key.secret, right.secret.slice(0, -1), ` ${right.secret}`]) {
    assert.equal(findToken(wrong, 7), undefined)
  }
  assert.deepEqual(asked, [
    [right.hash, 5],
    [other.hash, 6],
  ])
  assert.deepEqual(used, [[record, 5]])
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Credential } from '../domain/credential.ts'

import { authenticate, keyFault, presentedKey } from './authenticate-key.ts'
import { API_KEY, hashSecret, newSecret } from './secret.ts'

type Case = [apiKeys: string[], authorizations: string[], key: string | undefined]

const CASES: Case[] = [
  [[], [], undefined],
  [['k'], [], 'k'],
  [[' k\t'], [], 'k'],
  [[], ['Bearer k'], 'k'],
  [[], ['bearer k'], 'k'],
  [[], ['BEARER  k '], 'k'],
  // Exactly one of the two headers, once, even if both have the same key.
  [['k'], ['Bearer k'], undefined],
  [['k'], ['bearer'], undefined],
  [[''], ['Bearer k'], undefined],
  [['k', 'k'], [], undefined],
  [['k', ''], [], undefined],
  [[], ['Bearer k', 'Bearer k'], undefined],
  [[], ['Bearer k', 'Basic x'], undefined],
  [[], ['Basic x', 'Bearer k'], undefined],
  [['k'], ['Basic x', 'Bearer k'], undefined],
  // Other schemes are ignored.
  [['k'], ['Basic x'], 'k'],
  [['k'], [''], 'k'],
  [[], ['Basic k'], undefined],
  [[], ['k'], undefined],
  [['k'], ['Bearerk'], 'k'],
  [[], ['Bearerk'], undefined],
  [[], [''], undefined],
  // An empty one belongs to nobody.
  [[''], [], ''],
  [[], ['Bearer'], ''],
  [[], ['Bearer '], ''],
]

describe('The key that a request presents', () => {
  it('is one key in one header', () => {
    for (const [apiKeys, authorizations, key] of CASES) {
      assert.equal(
        presentedKey({ apiKeys, authorizations }),
        key,
        JSON.stringify({ apiKeys, authorizations }),
      )
    }
  })

  it('is looked up by its hash only', () => {
    const record = { id: 7 } as Credential
    const asked: string[] = []
    const find = (hash: string) => {
      asked.push(hash)
      return hash === hashSecret('right') ? record : undefined
    }
    assert.equal(authenticate({ apiKeys: ['right'], authorizations: [] }, find), record)
    assert.equal(authenticate({ apiKeys: ['wrong'], authorizations: [] }, find), undefined)
    assert.deepEqual(asked, [hashSecret('right'), hashSecret('wrong')])
    assert.equal(authenticate({ apiKeys: ['right', 'right'], authorizations: [] }, find), undefined)
    assert.equal(authenticate({ apiKeys: [], authorizations: [] }, find), undefined)
    assert.equal(asked.length, 2, 'no key is not looked up')
  })
})

describe('The fault of a request without a valid key', () => {
  it('depends on the request, not on stored keys', () => {
    const { secret } = newSecret(API_KEY)
    const faults = [
      [[], [], 'missing'],
      [[], ['Basic k'], 'missing'],
      [[secret], [`Bearer ${secret}`], 'repeated'],
      [[secret, secret], [], 'repeated'],
      [[], [`Bearer ${secret}`, 'Basic k'], 'repeated'],
      [[''], [], 'malformed'],
      [[secret.slice(0, -1)], [], 'malformed'],
      [[], ['Bearer'], 'malformed'],
      [[secret], [], 'invalid'],
      [[], [`Bearer ${secret}`], 'invalid'],
    ] as const
    for (const [apiKeys, authorizations, fault] of faults) {
      const headers = { apiKeys: [...apiKeys], authorizations: [...authorizations] }
      assert.equal(keyFault(headers), fault, JSON.stringify(headers))
    }
  })
})

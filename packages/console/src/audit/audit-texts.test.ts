import assert from 'node:assert/strict'
import { it } from 'node:test'
import { actorInWords } from './audit-texts.ts'

it('An actor is shown by name and address, as a token by name and id, or as it is written', () => {
  const words = (actor: string) => Object.values(actorInWords(actor))
  assert.deepEqual(words('person 3 Ada <ada@example.com>'), ['Ada', 'ada@example.com'])
  assert.deepEqual(words('person 3 A <b> c <a@b>'), ['A <b> c', 'a@b'])
  assert.deepEqual(words('token 5 Night report'), ['Night report', 'token 5'])
  assert.deepEqual(words('token 5 person 3 Ada <a@b>'), ['person 3 Ada <a@b>', 'token 5'])
  assert.deepEqual(words('command line, user root'), ['command line, user root', ''])
})

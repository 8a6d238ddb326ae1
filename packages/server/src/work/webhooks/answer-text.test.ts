import assert from 'node:assert/strict'
import { it } from 'node:test'
import { secretParts, shownAnswer } from './answer-text.ts'

it('An answer is shown without the parts of the URL that it repeats, however they are written', () => {
  const url = 'https://example.com/a%3Db%26secret/in?token=ab+cd/ef==gh&S3CRETVALUE&list=x(y)'
  const hidden = secretParts(url, 'X-Feed-Token: hidden words')
  for (const repeated of [
    ...['ab+cd/ef==gh', 'ab cd/ef==gh', 'ab%20cd%2Fef%3D%3Dgh', 'S3CRETVALUE', 'x(y)', 'x%28y%29'],
    ...['a=b&secret', 'a%3Db%26secret', 'hidden', 'token=ab+cd/ef==gh'],
  ]) {
    assert.equal(shownAnswer(`no "${repeated}" here`, hidden), 'no "…" here', repeated)
  }
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Answer, answerReader } from './answers.ts'

const LENGTH = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello'
const CHUNKED =
  'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n'
const UNCHANGED = 'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\n\r\n'

function read(pieces: string[]): Answer[] {
  const answers: Answer[] = []
  const reader = answerReader((answer) => answers.push(answer))
  for (const piece of pieces) reader.take(Buffer.from(piece))
  return answers
}

describe('The reader of answers', () => {
  it('reads answers in any segmentation', () => {
    const all = LENGTH + CHUNKED + UNCHANGED
    for (const pieces of [[all], [...all], [all.slice(0, 70), all.slice(70)]]) {
      const parts = read(pieces).map(({ status, coding, endsConnection, body }) => {
        return [status, coding, endsConnection, body.toString()]
      })
      assert.deepEqual(parts, [
        [200, undefined, true, 'hello'],
        [200, 'gzip', false, 'hello'],
        [304, undefined, false, ''],
      ])
    }
  })

  it('rejects truncated answers', () => {
    for (const answer of [LENGTH, CHUNKED, UNCHANGED]) {
      assert.deepEqual(read([answer.slice(0, -1)]), [])
    }
  })

  it('rejects bytes that are not an answer', () => {
    for (const text of ['SSH-2.0\r\n\r\n', 'HTTP/1.1 200 OK\r\n\r\nhello']) {
      assert.throws(() => read([text]))
    }
  })
})

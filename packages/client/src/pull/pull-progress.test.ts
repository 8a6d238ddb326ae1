import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openProgress } from './pull-progress.ts'

function open(isTTY: boolean) {
  let now = 0
  const texts: string[] = []
  const stream = { isTTY, write: (text: string) => texts.push(text) > 0 }
  const progress = openProgress(stream, () => now)
  const at = (ms: number, text: string) => {
    now = ms
    progress.show(() => text)
  }
  return { at, end: () => progress.end(), written: () => texts.join('') }
}

describe('The progress of a pull', () => {
  it('is one line on a terminal, rewritten now and then, and cleared', () => {
    const { at, end, written } = open(true)
    at(100, 'too early')
    at(200, 'one')
    at(300, 'too early')
    at(450, 'two')
    end()
    assert.equal(written(), '\r\u001b[Kone\r\u001b[Ktwo\r\u001b[K')
  })

  it('is silent in a log', () => {
    const { at, end, written } = open(false)
    at(1_000, 'one')
    end()
    assert.equal(written(), '')
  })
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { holdBodies } from './held-bodies.ts'
import { MAX_BODY_BYTES } from './refusal.ts'

const fill = (bodies: ReturnType<typeof holdBodies>, organization: number) => {
  const held = []
  for (;;) {
    const body = bodies(organization)
    if (!body.hold(MAX_BODY_BYTES)) return held
    held.push(body)
  }
}

describe('Bodies that are held', () => {
  it('leave room for other organizations, however many one sends', () => {
    const bodies = holdBodies()
    assert.equal(fill(bodies, 1).length, 4)
    assert.equal(bodies(1).hold(1), false)
    assert.equal(bodies(2).hold(MAX_BODY_BYTES), true)
  })

  it('are bounded together, whoever sends them', () => {
    const bodies = holdBodies()
    const held = Array.from({ length: 10 }, (_, organization) => fill(bodies, organization)).flat()
    assert.equal(held.length, 16)
  })

  it('make room when they are done with', () => {
    const bodies = holdBodies()
    for (let round = 0; round < 3; round++) {
      const held = fill(bodies, 1)
      assert.equal(held.length, 4)
      for (const body of held) body[Symbol.dispose]()
    }
  })
})

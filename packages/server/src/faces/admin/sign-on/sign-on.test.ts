import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setImmediate as pass } from 'node:timers/promises'
import { boundedTurns } from './sign-on.ts'

it('Sign-ons of one network leave room for those of others', async () => {
  const inTurn = boundedTurns()
  const begun: string[] = []
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const asked = (address: string) =>
    inTurn(address, () => {
      begun.push(address)
      return ended
    })
  const flood = Array.from({ length: 64 }, (_, i) => asked(`203.0.113.${i + 1}`))
  const flood6 = Array.from({ length: 64 }, (_, i) => asked(`2001:db8::${i + 1}`))
  await pass()
  assert.equal(begun.length, 8)
  const other = asked('198.51.100.1')
  await pass()
  assert.equal(begun.at(-1), '198.51.100.1')
  end()
  await Promise.all([...flood, ...flood6, other])
  assert.equal(begun.length, 129)
})

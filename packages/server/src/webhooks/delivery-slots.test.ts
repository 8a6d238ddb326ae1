import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as othersRun } from 'node:timers/promises'
import { type DeliverySlots, openDeliverySlots } from './delivery-slots.ts'

const NEVER = new AbortController().signal

/** Takes slots, and keeps the order in which they were granted. */
function taking(slots: DeliverySlots) {
  const granted: string[] = []
  const frees = new Map<string, () => void>()
  return {
    granted,
    async take(organization: number, name: string, signal = NEVER) {
      void slots.take(organization, signal).then((free) => {
        granted.push(free === null ? `not ${name}` : name)
        if (free !== null) frees.set(name, free)
      })
      await othersRun()
    },
    async free(name: string) {
      frees.get(name)!()
      await othersRun()
    },
  }
}

describe('Delivery slots', () => {
  it('are limited in number', async () => {
    const { take, free, granted } = taking(openDeliverySlots(2))
    for (const organization of [1, 2, 3]) await take(organization, `of ${organization}`)
    assert.deepEqual(granted, ['of 1', 'of 2'])
    await free('of 1')
    assert.deepEqual(granted, ['of 1', 'of 2', 'of 3'])
  })

  it('are taken by one organization up to a quarter, so that others have some', async () => {
    const { take, free, granted } = taking(openDeliverySlots(8))
    for (const name of ['1a', '1b', '1c', '1d']) await take(1, name)
    await take(2, '2a')
    assert.deepEqual(granted, ['1a', '1b', '2a'])
    await free('2a')
    await free('1b')
    assert.deepEqual(granted, ['1a', '1b', '2a', '1c'])
  })

  it('give an organization at least one, and one for each webhook at most', async () => {
    const few = taking(openDeliverySlots(2))
    for (const name of ['1a', '1b']) await few.take(1, name)
    assert.deepEqual(few.granted, ['1a'])
    const many = taking(openDeliverySlots(1_000))
    for (let i = 0; i < 20; i++) await many.take(1, String(i))
    assert.equal(many.granted.length, 10)
  })

  it('go to organizations in turn, and in an organization in order', async () => {
    const { take, free, granted } = taking(openDeliverySlots(4))
    for (const organization of [1, 2, 3, 4]) await take(organization, `of ${organization}`)
    for (const name of ['5a', '5b', '5c']) await take(5, name)
    await take(6, '6a')
    for (const organization of [1, 2]) await free(`of ${organization}`)
    assert.deepEqual(granted.slice(4), ['5a', '6a'])
    await free('5a')
    await take(7, '7a')
    await free('6a')
    assert.deepEqual(granted.slice(4), ['5a', '6a', '5b', '7a'])
  })

  it('are given up by those that stop waiting, unless one is free', async () => {
    const { take, free, granted } = taking(openDeliverySlots(4))
    const ending = new AbortController()
    await take(1, '1a')
    await take(1, '1b', ending.signal)
    await take(1, '1c')
    ending.abort()
    await take(1, '1d', ending.signal)
    await free('1a')
    await take(2, '2a', ending.signal)
    assert.deepEqual(granted, ['1a', 'not 1b', 'not 1d', '1c', '2a'])
  })
})

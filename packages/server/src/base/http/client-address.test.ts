import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { describe, it } from 'node:test'
import { assertCheap } from '../../../testing/linear.ts'
import { addressReader } from './client-address.ts'

function message(peer: string | undefined, forwarded?: string): IncomingMessage {
  return {
    socket: { remoteAddress: peer },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  } as unknown as IncomingMessage
}

describe('The address of a client', () => {
  it('is the peer’s without a trusted proxy, regardless of headers', () => {
    const addressOf = addressReader([])
    assert.equal(addressOf(message('192.0.2.1')), '192.0.2.1')
    assert.equal(addressOf(message('192.0.2.1', '203.0.113.9')), '192.0.2.1')
  })

  it('is the nearest one that is not trusted', () => {
    const addressOf = addressReader(['loopback', '10.0.0.0/8', '2001:db8::1'])
    for (const [peer, forwarded, address] of [
      ['127.0.0.1', undefined, '127.0.0.1'],
      ['127.0.0.1', '203.0.113.9', '203.0.113.9'],
      ['::ffff:127.0.0.1', '203.0.113.9', '203.0.113.9'],
      ['2001:db8::1', '203.0.113.9', '203.0.113.9'],
      ['127.0.0.1', '203.0.113.9, 10.1.2.3', '203.0.113.9'],
      ['127.0.0.1', '198.51.100.7, 203.0.113.9, 10.1.2.3', '203.0.113.9'],
      ['127.0.0.1', '10.1.2.3', '10.1.2.3'],
      ['192.0.2.1', '203.0.113.9', '192.0.2.1'],
      ['192.0.2.1', '10.1.2.3', '192.0.2.1'],
    ] as const) {
      assert.equal(addressOf(message(peer, forwarded)), address, `${peer} for ${forwarded}`)
    }
  })

  it('is found among the nearest twenty, however many addresses a client names', () => {
    const addressOf = addressReader(['loopback'])
    const chain = (length: number) => `203.0.113.9,${Array(length).fill('::1').join(',')}`
    assert.equal(addressOf(message('127.0.0.1', chain(19))), '203.0.113.9')
    assert.equal(addressOf(message('127.0.0.1', chain(20))), '::1')
    assert.equal(
      addressOf(message('127.0.0.1', `${'::1,'.repeat(8_000)}203.0.113.9`)),
      '203.0.113.9',
    )
    assert.equal(addressOf(message('127.0.0.1', ',')), '127.0.0.1')
    const [some, many] = [message('127.0.0.1', chain(40)), message('127.0.0.1', chain(8_000))]
    assertCheap(
      () => addressOf(many),
      () => addressOf(some),
      3,
    )
  })

  it('is cut to the length of an address, if a proxy names another text', () => {
    const addressOf = addressReader(['loopback'])
    assert.equal(addressOf(message('127.0.0.1', 'x'.repeat(8_000))), 'x'.repeat(45))
  })

  it('is empty after the peer has disconnected', () => {
    assert.equal(addressReader([])(message(undefined)), '')
    assert.equal(addressReader(['loopback'])(message(undefined)), '')
    assert.equal(addressReader(['loopback'])(message(undefined, '203.0.113.9')), '')
  })

  it('cannot be configured with an invalid proxy address', () => {
    for (const proxy of ['nowhere', '10.0.0.0/64', '10.0.0.0/x', '']) {
      assert.throws(() => addressReader([proxy]), TypeError, proxy)
    }
  })
})

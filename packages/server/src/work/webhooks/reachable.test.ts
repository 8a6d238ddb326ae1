import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { reachableUnless } from './resolve-addresses.ts'

const PUBLIC = ['1.1.1.1', '9.255.255.255', '100.63.255.255', '172.32.0.1', '223.255.255.255']
const PUBLIC_6 = ['2606:4700::1111', '::ffff:1.1.1.1', '64:ff9b::101:101', '64:ff9b::1.1.1.1']

const ELSEWHERE = [
  ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '100.127.255.255', '127.0.0.1', '127.255.255.255'],
  ...['169.254.169.254', '172.16.0.1', '172.31.255.255', '192.168.1.1', '192.0.0.8', '192.0.2.1'],
  ...['198.18.0.1', '198.51.100.7', '203.0.113.9', '224.0.0.1', '240.0.0.1', '255.255.255.255'],
]
const ELSEWHERE_6 = [
  ...['::', '::1', 'fe80::1', 'fe80::1%eth0', 'fc00::1', 'fd12:3456::1', 'ff02::1', 'fec0::1'],
  ...['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::ffff:0:0', '0:0:0:0:0:ffff:a00:1'],
  ...['64:ff9b::7f00:1', '64:ff9b::10.0.0.1', '64:ff9b::', '64:ff9b:1::1', '::127.0.0.1'],
  ...['2001::1', '2001:db8::1', '2002:7f00:1::', '2002:a00:1::1', '3fff::1', '100::1'],
]

describe('A delivery', () => {
  const isReachable = reachableUnless([])

  for (const address of [...PUBLIC, ...PUBLIC_6]) {
    it(`may connect to ${address}`, () => assert.ok(isReachable(address)))
  }

  for (const address of [...ELSEWHERE, ...ELSEWHERE_6]) {
    it(`does not connect to ${address}`, () => assert.ok(!isReachable(address)))
  }

  it('does not connect to what is no address', () => {
    for (const text of ['', 'localhost', '1.1.1', '127.1', '0x7f.1', '1.1.1.1/8']) {
      assert.ok(!isReachable(text), text)
    }
  })

  it('may connect to a network that the operator allows', () => {
    const allows = reachableUnless(['10.1.0.0/16', 'fd00::/8'])
    for (const address of ['10.1.255.1', '::ffff:10.1.0.1', 'fd12::1', '1.1.1.1']) {
      assert.ok(allows(address), address)
    }
    for (const address of ['10.2.0.1', '::ffff:10.2.0.1', 'fc12::1', '127.0.0.1']) {
      assert.ok(!allows(address), address)
    }
  })

  it('has no networks that cannot be read', () => {
    for (const network of ['10.0.0.0', '10.0.0.0/33', 'fd00::/129', 'localhost/8', '', '/8']) {
      assert.throws(() => reachableUnless([network]), RangeError, network)
    }
  })
})

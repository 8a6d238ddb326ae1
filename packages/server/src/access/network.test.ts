import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { networkOf } from './network.ts'

describe('The network of an address', () => {
  const NETWORKS: Record<string, string[]> = {
    '203.0.113.0/24': ['203.0.113.0', '203.0.113.255', '::ffff:203.0.113.9', '::FFFF:203.0.113.9'],
    '203.0.112.0/24': ['203.0.112.9'],
    '2001:db8:0:7::/64': ['2001:DB8:0:7::2', '2001:0db8:0000:0007:1:2:3:4', '2001:db8:0:7::'],
    '2001:db8::/64': ['2001:db8::1', '2001:db8:0:0:ffff::'],
    '2001:0:0:4::/64': ['2001::4:5:6:7:8', '2001:0:0:4:5:6:7:8'],
    '::/64': ['::1', '::1.2.3.4', '::'],
    'fe80::/64': ['fe80::1%eth0'],
    unknown: ['', 'unknown', '203.0.113', '203.0.113.9:80', '[2001:db8::1]', 'x'.repeat(20_000)],
  }

  for (const [network, addresses] of Object.entries(NETWORKS)) {
    it(`${network} is the same for ${addresses.length} spellings`, () => {
      for (const address of addresses) assert.equal(networkOf(address), network, address)
    })
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertLinear } from '../../../testing/linear.ts'
import { type Coding, preferredCoding } from './coding.ts'

const PREFERENCES: [header: string | undefined, coding: Coding | undefined][] = [
  [undefined, undefined],
  ['', undefined],
  ['identity', undefined],
  ['deflate', undefined],
  ['x-gzip', undefined],
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['br', 'br'],
  ['zstd', 'zstd'],
  // As browsers and curl send it.
  ['gzip, deflate, br, zstd', 'zstd'],
  ['gzip, deflate, br', 'br'],
  ['deflate, gzip', 'gzip'],
  // A client that names none may not know the newer ones.
  ['*', 'gzip'],
  ['*;q=0.5', 'gzip'],
  ['identity, *', 'gzip'],
  ['br, *', 'br'],
  ['gzip;q=1.0, br;q=0.5', 'gzip'],
  ['br;q=0.5, gzip;q=0.8, zstd;q=0.1', 'gzip'],
  ['gzip;q=0', undefined],
  ['gzip;q=0.000', undefined],
  ['gzip;q=0, *', undefined],
  ['zstd;q=0, br;q=0, *', 'gzip'],
  ['*;q=0', undefined],
  ['gzip, *;q=0', 'gzip'],
  ['identity;q=0, gzip', 'gzip'],
  ['identity, gzip;q=0.5', undefined],
  [', ,gzip,', 'gzip'],
  ['gzip;q=x', undefined],
  // Weights are from 0 to 1.
  ['gzip;q=-1, br;q=0.1', 'br'],
  ['gzip;q=-1', undefined],
  ['gzip;q=NaN, br;q=1e400', 'br'],
  ['gzip;q=2, br', 'br'],
  [`${'x,'.repeat(99)}gzip`, 'gzip'],
  [`${'x,'.repeat(100)}gzip`, undefined],
  // Forbidden by RFC 9110, and read as the senders mean it.
  ['gzip;q=', 'gzip'],
  ['br;q="0.5"', 'br'],
  ['zstd;level=3;q=0.2, gzip;q=0.1', 'zstd'],
]

test('the preferred coding follows Accept-Encoding, also for a repeated header', () => {
  for (const [header, coding] of PREFERENCES) {
    assert.equal(preferredCoding(header), coding, JSON.stringify(header))
  }
})

test('the cost of a header is linear in its length', () => {
  assertLinear(100_000, (length) => 'gzip,'.repeat(length / 5), preferredCoding)
  assertLinear(100_000, (length) => `gzip${';q=1'.repeat(length / 4)}`, preferredCoding)
})

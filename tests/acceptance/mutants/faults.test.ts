import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { chooseFaults } from './choose-faults.ts'
import { faultsOf, withFault } from './faults.ts'

function faultyForms(text: string): string[] {
  return faultsOf(text).map((fault) => withFault(text, fault))
}

describe('The faults of a source', () => {
  it('turn a comparison, move its bound by one, and invert a condition', () => {
    assert.deepEqual(faultyForms('if (a < b) c = d'), [
      'if (!(a < b)) c = d',
      'if (a > b) c = d',
      'if (a <= b) c = d',
    ])
    assert.deepEqual(faultyForms('e = a === b ? c : d'), [
      'e = !(a === b) ? c : d',
      'e = a !== b ? c : d',
    ])
  })

  it('leave out a call whose value nobody takes, but no constructor of a base', () => {
    assert.deepEqual(faultyForms('await log.write(a)\nb = f()'), [';\nb = f()'])
    assert.deepEqual(faultyForms('class A extends B { constructor() { super() } }'), [])
  })
})

describe('The choice of faults', () => {
  const sources = [
    { path: 'large/a.ts', text: 'if (a) b()\n'.repeat(30) },
    { path: 'small/b.ts', text: 'if (a) b()\n'.repeat(10) },
  ]
  const places = (seed: string) =>
    chooseFaults(sources, 8, seed).map(
      ({ source, start, kind }) => `${source.path} ${start} ${kind}`,
    )

  it('is spread over the folders by their lines', () => {
    const large = places('seed').filter((place) => place.startsWith('large/'))
    assert.equal(large.length, 6)
    assert.equal(new Set(places('seed')).size, 8)
  })

  it('follows the seed alone', () => {
    assert.deepEqual(places('seed'), places('seed'))
    assert.notDeepEqual(places('seed'), places('another'))
  })
})

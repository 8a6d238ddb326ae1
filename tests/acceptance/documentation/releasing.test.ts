import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { type Json, REPOSITORY } from '../harness/fleetgate.ts'

const read = (file: string) => readFileSync(join(REPOSITORY, file), 'utf8')
const packages: Json[] = globSync('packages/*/package.json', { cwd: REPOSITORY }).map((file) =>
  JSON.parse(read(file)),
)
const { version } = packages.find(({ name }) => name === 'fleetgate')!

describe('The version', () => {
  it('is one for all packages, and for what they ask of each other', () => {
    for (const { name, version: own, dependencies = {} } of packages) {
      assert.equal(own, version, name)
      for (const other of packages) assert.equal(dependencies[other.name] ?? version, version, name)
    }
  })

  it('is that of the first section of the changelog', () => {
    const [, newest, date] = /^## \[(.+?)\] - (.+)$/m.exec(read('CHANGELOG.md'))!
    assert.equal(newest, version)
    assert.match(date!, /^(?:unreleased|\d{4}-\d\d-\d\d)$/)
  })

  it('is that of the tarballs, images and programs that the documents name', () => {
    const pages = globSync('{docs/**,packages/*,.}/*.md', { cwd: REPOSITORY })
    const named = pages.flatMap((page) =>
      Array.from(
        read(page).matchAll(/\b[Ff]leetgate(?:-\w+)?(?:[-:/ ]| --?v?)(\d+\.\d+\.\d+)(?!\.?\d)/g),
        ([text, found]) => ({ page, text, found }),
      ),
    )
    assert.ok(named.length > 5)
    assert.deepEqual(
      named.filter(({ found }) => found !== version),
      [],
    )
  })
})

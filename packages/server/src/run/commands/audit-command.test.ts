import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { runHere } from '../../../testing/command-line/run-here.ts'
import { json, temporaryFolder } from '../../../testing/command-line/spawned.ts'

/** A deployment in which a command renamed an organization, and deleted another. */
async function changed(t: TestContext): Promise<string[]> {
  const data = ['--data', await temporaryFolder(t)]
  await json(['org', 'create', 'Acme', ...data])
  await json(['org', 'create', 'Gone', ...data])
  await json(['org', 'update', '1', '--name', 'Acme Ltd', ...data])
  await json(['org', 'delete', '2', '--yes', ...data])
  return data
}

describe('fleetgate audit', () => {
  it('shows pages of the log, the newest first, of all or of one organization', async (t) => {
    const data = await changed(t)
    const all = await json(['audit', ...data])
    assert.deepEqual(
      all.items.map(({ action, organization }: typeof all) => [action, organization]),
      [
        ['organization.delete', 2],
        ['organization.update', 1],
        ['organization.create', 2],
        ['organization.create', 1],
      ],
    )
    assert.equal(all.next, null)
    const first = await json(['audit', '--limit', '3', ...data])
    assert.deepEqual([first.items, first.next], [all.items.slice(0, 3), all.items[2].id])
    const rest = await json(['audit', '--before', `${first.next}`, ...data])
    assert.deepEqual(rest, { items: all.items.slice(3), next: null })
    const gone = await json(['audit', '--org', '2', ...data])
    assert.deepEqual(gone.items, [all.items[0], all.items[2]])
  })

  it('says what changed, and how to read on', async (t) => {
    const { stdout } = await runHere(['audit', '--limit', '2', ...(await changed(t))])
    assert.match(stdout, /^ID +AT +ACTOR +ACTION +ORG +TARGET +NAME +CHANGES\n/)
    assert.match(
      stdout,
      / command line, user .* organization.update .* name: "Acme" to "Acme Ltd"\n/,
    )
    assert.match(stdout, /\n\nOlder entries: --before 3\n$/)
  })

  it('refuses an organization that never was, and a wrong limit', async (t) => {
    const data = await changed(t)
    const missing = await runHere(['audit', '--org', '7', ...data])
    assert.deepEqual([missing.code, missing.stdout], [1, ''])
    assert.match(missing.stderr, /there is no organization 7/)
    const wrong = await runHere(['audit', '--limit', '501', ...data])
    assert.deepEqual([wrong.code, wrong.stdout], [2, ''])
    assert.match(wrong.stderr, /--limit.* must be a whole number from 1 to 500/)
  })
})

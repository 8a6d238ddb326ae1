import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { newAccount, setRole } from '../../../testing/store-contract/access-fixture.ts'
import { NOW, newOrganization } from '../../../testing/store-contract/fixture.ts'
import type { Account } from '../../base/domain/account.ts'
import { openCopySource, openCopyTarget, openStore } from '../../run/compose.ts'
import { archiveOf } from './archive.ts'
import { copyDeployment } from './copy-deployment.ts'

it('An archive has the roles of single sign-on as roles that a person gave', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'fleetgate-archive-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const [from, to] = [{ folder: join(folder, 'from') }, { folder: join(folder, 'to') }]

  const original = await openStore(from)
  const organization = await newOrganization(original)
  const other = await newOrganization(original)
  const [ada, bob] = [await newAccount(original), await newAccount(original)]
  for (const { id } of [ada, bob]) {
    const roles = [organization, other].map((of) => ({ role: 'viewer', organization: of }) as const)
    await original.accounts.setSignOnRoles(id, roles)
  }
  await setRole(original.accounts, bob.id, organization, 'administrator')
  await original.close()

  const source = await openCopySource(from, NOW)
  const archive = await archiveOf(source, { organization, object: null })
  const target = await openCopyTarget(to, (await archive.facts()).secret, NOW)
  const never = new AbortController().signal
  const { differences } = await copyDeployment(archive, target, () => {}, never)
  assert.deepEqual(differences, [])
  await target.close()
  await source.close()

  const { accounts, close } = await openStore(to)
  t.after(close)
  const own = (role: string) => [{ role, organization, isFromSignOn: false }]
  assert.deepEqual((await accounts.find(ada.id))!.roles, own('viewer'))
  assert.deepEqual((await accounts.find(bob.id))!.roles, own('administrator'))
  const { roles } = (await setRole(accounts, ada.id, organization, null)) as Account
  assert.deepEqual(roles, [])
})

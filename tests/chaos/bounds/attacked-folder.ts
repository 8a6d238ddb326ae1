import { addDrive } from '../../../bench/drive.ts'
import { addTenants, type Tenant } from '../../../bench/tenants.ts'
import { newSecret, OPERATOR_TOKEN } from '../../../packages/server/src/base/access/secret.ts'
import type { Store } from '../../../packages/server/src/engine/store/store.ts'
import { openStore } from '../../../packages/server/src/run/compose.ts'

const OTHERS = 200

/**
 * Fills a data folder with the attacking organization, whose administrator has the token, and others with a position each.
 * `more`: adds what the attack needs.
 */
export async function makeAttacked(
  folder: string,
  more: (store: Store, attacker: Tenant) => Promise<void> = async () => {},
) {
  const store = await openStore({ folder })
  const [attacker, ...others] = (await addTenants(store, OTHERS + 1)) as [Tenant, ...Tenant[]]
  for (const tenant of others) await addDrive(store, tenant, 1)
  const { secret, ...kept } = newSecret(OPERATOR_TOKEN)
  const { organization } = attacker
  const reach = { kind: 'token', role: 'administrator', organization, expiresAt: null } as const
  const issuer = { account: null, token: null }
  await store.access.issue({ ...kept, ...reach, name: 'attack' }, issuer, Date.now())
  await more(store, attacker)
  await store.close()
  return { others, attacker, token: secret }
}

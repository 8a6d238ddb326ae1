import { addDrive } from '../../../bench/drive.ts'
import { addTenants, type Tenant } from '../../../bench/tenants.ts'
import { FEED_TOKEN, newSecret } from '../../../packages/server/src/base/access/secret.ts'
import type { Store } from '../../../packages/server/src/engine/store/store.ts'
import { openStore } from '../../../packages/server/src/run/compose.ts'

/** The organizations that send requests and positions. */
export type Install = {
  /** One object each, with a history of `rows` rows, one second apart. */
  long: Tenant[]
  rows: number
  /** One position each. */
  others: Tenant[]
  /** Feed tokens of the first of `others`, one each. */
  feedTokens: string[]
}

const OTHERS = 200
const FEEDING = 20

/** Fills a data folder before a server uses it. */
export async function makeInstall(folder: string, long: number, rows: number): Promise<Install> {
  const store = await openStore({ folder })
  const tenants = await addTenants(store, long + OTHERS)
  const install: Install = {
    long: tenants.slice(0, long),
    rows,
    others: tenants.slice(long),
    feedTokens: [],
  }
  for (const tenant of install.long) await addDrive(store, tenant, rows)
  for (const tenant of install.others) await addDrive(store, tenant, 1)
  for (const tenant of install.others.slice(0, FEEDING)) {
    install.feedTokens.push(await issueFeedToken(store, tenant))
  }
  await store.close()
  return install
}

export async function issueFeedToken(store: Store, { organization }: Tenant): Promise<string> {
  const { secret, ...stored } = newSecret(FEED_TOKEN)
  const issued = { ...stored, name: 'feed', expiresAt: null }
  await store.feedTokens.issue(organization, issued, Date.now())
  return secret
}

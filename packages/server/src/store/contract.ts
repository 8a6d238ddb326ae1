import { describe } from 'node:test'
import { appendContract } from './contract/append.ts'
import { catalogueContract } from './contract/catalogue.ts'
import { expiryContract } from './contract/expiry.ts'
import type { OpenStore } from './contract/fixture.ts'
import { historyContract } from './contract/history.ts'
import { keyContract } from './contract/keys.ts'
import { objectContract } from './contract/objects.ts'
import { organizationContract } from './contract/organizations.ts'
import { watchContract } from './contract/watch.ts'

export type { OpenStore } from './contract/fixture.ts'

/** What every adapter of the store port must do, as tests. */
export function storeContract(name: string, open: OpenStore): void {
  describe(`${name} keeps the store's contract`, () => {
    organizationContract(open)
    keyContract(open)
    catalogueContract(open)
    objectContract(open)
    appendContract(open)
    historyContract(open)
    expiryContract(open)
    watchContract(open)
  })
}

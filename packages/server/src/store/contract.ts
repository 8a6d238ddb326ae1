import { describe } from 'node:test'
import type { Tracking } from '../domain/track.ts'
import { addressContract } from './contract/address.ts'
import { appendContract } from './contract/append.ts'
import { auditContract } from './contract/audit.ts'
import { catalogueContract } from './contract/catalogue.ts'
import { expiryContract } from './contract/expiry.ts'
import type { OpenStore } from './contract/fixture.ts'
import { historyContract } from './contract/history.ts'
import { keyContract } from './contract/keys.ts'
import { lateContract } from './contract/late.ts'
import { objectLimitContract } from './contract/object-limits.ts'
import { objectContract } from './contract/objects.ts'
import { operatorContract } from './contract/operator.ts'
import { orderContract } from './contract/order.ts'
import { organizationContract } from './contract/organizations.ts'
import { refoldContract } from './contract/refold.ts'
import { refusedIdentContract } from './contract/refused-idents.ts'
import { rejectContract } from './contract/rejects.ts'
import { usageContract } from './contract/usage.ts'
import { watchContract } from './contract/watch.ts'

export type { OpenStore } from './contract/fixture.ts'

/** The tests that every adapter of the store port must pass. The tracking rules give the expected results. */
export function storeContract(name: string, open: OpenStore, tracking: Tracking): void {
  describe(`${name} keeps the store's contract`, () => {
    organizationContract(open)
    keyContract(open)
    catalogueContract(open)
    objectContract(open)
    objectLimitContract(open)
    appendContract(open)
    orderContract(open, tracking)
    lateContract(open, tracking)
    refoldContract(open, tracking)
    rejectContract(open, tracking)
    refusedIdentContract(open)
    addressContract(open)
    historyContract(open)
    expiryContract(open)
    watchContract(open)
    operatorContract(open)
    auditContract(open)
    usageContract(open)
  })
}

import { describe } from 'node:test'
import type { FoldRules } from '../../src/base/domain/position/fold-state.ts'
import { packing } from '../stores/packing-store.ts'
import { accessContract } from './access.ts'
import { accountContract } from './accounts.ts'
import { addressContract } from './address.ts'
import { appendContract } from './append.ts'
import { attemptContract } from './attempts.ts'
import { attributeContract } from './attributes.ts'
import { auditContract } from './audit.ts'
import { damagedBlockContract, longBlockContract, newerBlockContract } from './blocks.ts'
import { catalogueContract } from './catalogue.ts'
import { changeLogContract } from './change-log.ts'
import { coverageContract } from './coverage.ts'
import { erasedValueContract } from './erased-values.ts'
import { erasureContract } from './erasures.ts'
import { expiryContract, packedExpiryContract } from './expiry.ts'
import { type OpenStore, testsOn } from './fixture.ts'
import { historyContract } from './history.ts'
import { keyContract } from './keys.ts'
import { lateContract } from './late.ts'
import { newestContract } from './newest.ts'
import { notesContract } from './notes.ts'
import { objectLimitContract } from './object-limits.ts'
import { objectRetentionContract } from './object-retention.ts'
import { objectContract } from './objects.ts'
import { orderContract } from './order.ts'
import { organizationContract } from './organizations.ts'
import { packingContract } from './packing.ts'
import { placeLimitContract } from './place-limits.ts'
import { privateHoursContract } from './private-hours.ts'
import { recordContract } from './records.ts'
import { refoldContract } from './refold.ts'
import { refusedIdentContract } from './refused-idents.ts'
import { rejectContract } from './rejects.ts'
import { routingContract } from './routing.ts'
import { savedMappingContract } from './saved-mappings.ts'
import { storedPositionContract } from './stored-positions.ts'
import { trackerContract } from './trackers.ts'
import { disclosureContract, usageContract } from './usage.ts'
import { watchContract } from './watch.ts'
import { webhookContract } from './webhooks.ts'

export type { OpenStore } from './fixture.ts'

/** The tests that every adapter of the store port must pass. The tracking rules give the expected results. */
export function storeContract(name: string, open: OpenStore, rules: FoldRules): void {
  const it = testsOn(open)

  describe(`${name} keeps the store's contract`, () => {
    organizationContract(it)
    keyContract(it)
    catalogueContract(it)
    objectContract(it)
    objectLimitContract(it)
    placeLimitContract(it)
    appendContract(it)
    orderContract(it, rules)
    lateContract(it, rules)
    privateHoursContract(it, rules)
    refoldContract(it, rules)
    trackerContract(it, rules)
    erasureContract(it, rules)
    erasedValueContract(it, rules)
    rejectContract(it, rules)
    refusedIdentContract(it)
    routingContract(it)
    savedMappingContract(it)
    attributeContract(it)
    addressContract(it)
    historyContract(it)
    newestContract(it, rules)
    expiryContract(it, rules)
    objectRetentionContract(it, rules)
    changeLogContract(it, rules)
    storedPositionContract(it, rules)
    watchContract(it)
    accountContract(it)
    accessContract(it)
    attemptContract(it)
    auditContract(it)
    notesContract(it)
    usageContract(it)
    disclosureContract(it)
    webhookContract(it)
    recordContract(it, rules)
    coverageContract(it, rules)
    damagedBlockContract(it, rules)
    newerBlockContract(it, rules)
    longBlockContract(it)
    packingContract(it)
  })
}

/** The part of the contract that is about positions, for a store that packs all of them (`packing-store.ts`). */
export function packedContract(name: string, open: OpenStore, rules: FoldRules): void {
  const it = testsOn(packing(open))

  describe(`${name} keeps the store's contract with packed positions`, () => {
    appendContract(it)
    orderContract(it, rules)
    lateContract(it, rules)
    refoldContract(it, rules)
    trackerContract(it, rules)
    erasureContract(it, rules)
    erasedValueContract(it, rules)
    rejectContract(it, rules)
    addressContract(it)
    historyContract(it)
    newestContract(it, rules)
    packedExpiryContract(it, rules)
    changeLogContract(it, rules)
    storedPositionContract(it, rules)
    recordContract(it, rules)
    coverageContract(it, rules)
  })
}

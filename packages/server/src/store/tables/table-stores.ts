import { LIST_TOPICS, type ListTopic } from '../../domain/items.ts'
import type { ListStores } from '../item-store.ts'
import type { Store } from '../store.ts'
import { accessStore, attemptStore } from './access.ts'
import { accountStore } from './accounts.ts'
import { auditStore, disclosureStore, usageStore } from './audit.ts'
import { coverageStore } from './coverage.ts'
import { refusedIdentStore } from './ident-owners.ts'
import { type ItemParts, itemStore } from './items.ts'
import { API_KEYS, DEPLOYMENT_TOKENS, FEED_TOKENS, keyStore } from './keys.ts'
import { type ItemKind, KINDS, ofKinds } from './kinds.ts'
import { objectCreator, objectStore } from './objects.ts'
import { attributeStore, savedMappingStore } from './organizations.ts'
import { routingStore } from './routing.ts'
import type { Tables } from './sql.ts'
import { webhookStore } from './webhooks.ts'

type Written = { [Topic in ListTopic]: Omit<ListStores[Topic], 'list' | 'pages'> }

/** The parts of a store that both databases keep alike. `partsOf`: what a database does its own way with items. */
export function tableStores(
  tables: Tables,
  partsOf: (table: ItemKind<object>['table']) => ItemParts,
) {
  const items = <Settings extends object>(kind: ItemKind<Settings>) =>
    itemStore(tables, partsOf(kind.table), kind)
  const objectParts = partsOf(KINDS.objects.table)
  return {
    keys: keyStore(tables, API_KEYS),
    feedTokens: keyStore(tables, FEED_TOKENS),
    deploymentTokens: keyStore(tables, DEPLOYMENT_TOKENS),
    objects: objectStore(tables, objectParts),
    routing: routingStore(tables, objectParts, objectCreator(objectParts)),
    ...ofKinds<ListTopic, Written>(LIST_TOPICS, items),
    refusedIdents: refusedIdentStore(tables),
    savedMappings: savedMappingStore(tables),
    attributes: attributeStore(tables),
    accounts: accountStore(tables),
    access: accessStore(tables),
    attempts: attemptStore(tables),
    audit: auditStore(tables),
    usage: usageStore(tables),
    disclosures: disclosureStore(tables),
    webhooks: webhookStore(tables),
    coverage: coverageStore(tables),
  } satisfies { [Part in keyof Store]?: Partial<Store[Part]> }
}

import { addAll } from '../../base/domain/common/any-number.ts'
import { runInTurns } from '../../base/domain/common/slots.ts'
import { type IdentOwner, indexedRules, type RuleIndex } from '../../base/domain/routing-rule.ts'
import type { RoutingStore } from '../../engine/store/key-store.ts'
import type { Change } from '../../engine/store/store.ts'
import { keptRead } from './kept-read.ts'

/** The organizations that own an ident. Undefined: none does. */
export type IdentOwners = {
  of(ident: string): readonly number[] | undefined
  /** Notes owners that were read elsewhere, until the organization's idents are read again. */
  note(ident: string, owners: readonly number[]): void
}

/** The owners of idents, and the rules for new ones: read when first needed, and again after a change. */
export type KeptRouting = {
  owners(): IdentOwners | Promise<IdentOwners>
  rules(): RuleIndex | Promise<RuleIndex>
  outdateRules(): void
  /** The idents of the organization may have changed. */
  outdate(change: Change): void
}

export function keptRouting(store: Pick<RoutingStore, 'owners' | 'rules'>): KeptRouting {
  /** Undefined until all owners are read. */
  let index: OwnerIndex | undefined
  let reading: Promise<IdentOwners> | undefined
  /** Organizations whose idents must be read again, with the number of the change. */
  const outdated = new Map<number, number>()
  let changes = 0
  const rules = keptRead(async () => runInTurns(indexedRules(await store.rules())))

  async function readAll(): Promise<OwnerIndex> {
    // Changes that come during the read are outdated after it.
    outdated.clear()
    const all = ownerIndex()
    for await (const page of store.owners()) {
      for (const { ident, organization } of page) all.add(ident, organization)
    }
    return all
  }

  async function readOutdated(index: OwnerIndex): Promise<void> {
    for (const [organization, change] of outdated) {
      index.beginRead()
      const owners: IdentOwner[] = []
      for await (const page of store.owners(organization)) addAll(owners, page)
      index.replace(organization, owners)
      if (outdated.get(organization) === change) outdated.delete(organization)
    }
  }

  async function read(): Promise<IdentOwners> {
    try {
      index ??= await readAll()
      while (outdated.size > 0) await readOutdated(index)
      return index
    } finally {
      reading = undefined
    }
  }

  return {
    owners() {
      if (index !== undefined && outdated.size === 0) return index
      reading ??= read()
      return reading
    },
    rules: rules.get,
    outdateRules: rules.outdate,
    outdate({ organization, topic }) {
      if (topic !== 'objects' && topic !== 'organization' && topic !== 'idents') return
      if (index !== undefined || reading !== undefined) outdated.set(organization, ++changes)
    },
  }
}

type OwnerIndex = ReturnType<typeof ownerIndex>

function ownerIndex() {
  const owners = new Map<string, readonly number[]>()
  /** The idents of each organization, as they were read. */
  const idents = new Map<number, Set<string>>()
  /** The list of one organization alone, shared by its idents. */
  const alone = new Map<number, readonly number[]>()
  /** Owners that were noted during a read, which may have begun too early to see them. */
  let noted: [ident: string, by: readonly number[]][] | undefined

  function listOf(organization: number): readonly number[] {
    const known = alone.get(organization) ?? [organization]
    alone.set(organization, known)
    return known
  }

  function add(ident: string, organization: number): void {
    const known = owners.get(ident)
    if (known === undefined) owners.set(ident, listOf(organization))
    else if (!known.includes(organization)) owners.set(ident, [...known, organization])
    const own = idents.get(organization) ?? new Set()
    idents.set(organization, own)
    own.add(ident)
  }

  function addNoted(ident: string, by: readonly number[]): void {
    for (const organization of by) add(ident, organization)
  }

  function remove(ident: string, organization: number): void {
    const others = owners.get(ident)?.filter((each) => each !== organization) ?? []
    if (others.length === 0) owners.delete(ident)
    else owners.set(ident, others.length === 1 ? listOf(others[0]!) : others)
  }

  return {
    of: (ident: string) => owners.get(ident),
    note(ident: string, by: readonly number[]) {
      noted?.push([ident, by])
      addNoted(ident, by)
    },
    add,
    beginRead() {
      noted = []
    },
    /**
     * `read`: all owners of the organization's idents. Those that share a new ident with it are known at once, although
     * their own objects of it, and so their changes, may come later.
     */
    replace(organization: number, read: readonly IdentOwner[]) {
      const wanted = new Set(read.map(({ ident }) => ident))
      for (const ident of idents.get(organization) ?? []) {
        if (!wanted.has(ident)) remove(ident, organization)
      }
      idents.delete(organization)
      for (const each of read) add(each.ident, each.organization)
      for (const [ident, by] of noted ?? []) addNoted(ident, by)
      noted = undefined
    },
  }
}

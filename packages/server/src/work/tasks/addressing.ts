import { takeTurn } from '../../base/domain/common/slots.ts'
import type { Language } from '../../base/domain/organization.ts'
import type { Dated, ObjectState } from '../../base/domain/position/object-state.ts'
import {
  Addresser,
  type AddresserParts,
  type FoundAddress,
} from '../../base/geocoding/addresser.ts'
import { repeat, type Wait } from '../../engine/repeat.ts'
import type { Change, Store } from '../../engine/store/store.ts'

/** How often the loop looks for deleted objects. Until then each costs some bytes. */
const EVERY_MS = 60_000
/** Objects seeded per turn: less than 1 ms. */
const SEEDED = 1_000

/** The organizations, with the objects whose addresses are looked up. */
export type Addressees = {
  languageOf(organization: number): Promise<Language>
  /** The ids among these that the organization still has. */
  owned(organization: number, objects: number[]): Promise<number[]>
}

export type Addressing = {
  /** Takes what is known of the objects at the start, so that nothing is looked up twice. */
  seed(organization: number, known: { object: { id: number }; state: ObjectState }[]): Promise<void>
  /** Stores the addresses that were found and closes the geocoder. */
  stop(): Promise<void>
}

/**
 * Finds the addresses of objects whose packets bring none, as this process stores the packets. `failed`
 * gets the error when data of deleted objects could not be dropped yet.
 */
export function startAddressing(
  store: Store,
  geocoder: AddresserParts['geocoder'],
  { languageOf, owned }: Addressees,
  failed: (error: unknown) => void,
  wait?: Wait,
): Addressing {
  const addresser = new Addresser({
    geocoder,
    languageOf,
    store: (found) => storeAddresses(store, found),
  })
  /** Organizations in which objects may have been deleted. */
  const changed = new Set<number>()

  /** This runs between a commit and its acknowledgement: it must be cheap and must not throw. */
  const watch = store.watch(({ organization, topic, stored }: Change) => {
    if (topic === 'objects' || topic === 'organization') changed.add(organization)
    // The addresser recognizes an unchanged place and does nothing.
    for (const [object, state] of stored?.states ?? NONE) see(organization, object, state)
  })

  function see(organization: number, object: number, { lastFix }: ObjectState): void {
    if (lastFix === null) return
    const { timeDevice, latitude, longitude, address } = lastFix
    if (address !== null) addresser.broughtOwn(organization, object, timeDevice)
    else addresser.note(organization, object, latitude, longitude, timeDevice)
  }

  async function dropDeleted(): Promise<void> {
    watch.catchUp()
    for (const organization of changed) {
      // A deletion during the look-up is for the next time.
      changed.delete(organization)
      const objects = addresser.objects(organization)
      try {
        const left = new Set(objects.length === 0 ? [] : await owned(organization, objects))
        for (const object of objects) if (!left.has(object)) addresser.drop(organization, object)
      } catch (error) {
        changed.add(organization)
        throw error
      }
    }
  }

  const dropping = repeat(dropDeleted, EVERY_MS, failed, wait)
  return {
    async seed(organization, known) {
      for (const [index, { object, state }] of known.entries()) {
        if (index % SEEDED === SEEDED - 1) await takeTurn()
        const { lastFix } = state
        if (lastFix === null) continue
        if (lastFix.address !== null) {
          addresser.broughtOwn(organization, object.id, lastFix.timeDevice)
        } else if (isAddressOfPlace(state)) {
          addresser.seed(organization, object.id, lastFix.latitude, lastFix.longitude)
        }
      }
    },
    async stop() {
      watch.close()
      await dropping.stop()
      await addresser.close()
    },
  }
}

const NONE: ReadonlyMap<number, ObjectState> = new Map()

/** Whether an object has not moved since it got its address, so that the address is still right. */
function isAddressOfPlace({ address, timeLastMove }: ObjectState): boolean {
  return address !== null && (timeLastMove === null || timeLastMove <= address.at)
}

/** Either all are stored, or we treat none as stored. */
async function storeAddresses(store: Store, found: FoundAddress[]): Promise<void> {
  for (const [organization, places] of Map.groupBy(found, (each) => each.organization)) {
    const addresses = new Map<number, Dated<string>>()
    for (const { object, address, at } of places) addresses.set(object, { value: address, at })
    await store.positions.address(organization, addresses)
  }
}

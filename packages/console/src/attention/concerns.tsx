import type { ReactNode } from 'react'
import type {
  Attribute,
  Credential,
  FleetObject,
  RefusedIdents,
  Token,
  Webhook,
  WrongClocks,
} from '../api/types.ts'
import { valueText } from '../attributes/attribute-texts.ts'
import { SOON_DAYS, stateOf } from '../keys/state.ts'
import { Phrase } from '../language/Phrase.tsx'
import { t } from '../language/text.ts'
import { lastSignal } from '../ui/last-signal.ts'
import { Time } from '../ui/time/Time.tsx'
import { hostOf } from '../webhooks/webhook-texts.ts'

/** Something that somebody has to look after: how often, the first cases, and the page where it is solved. */
export type Concern = {
  title: string
  help: string
  count: number
  to: string
  action: string
  cases: Case[]
}

type Case = { key: string | number; to: string; name: string; detail: ReactNode }

/** Cases of a concern that are shown. */
const SHOWN = 5

export function silentVehicles(at: string, objects: FleetObject[]): Concern {
  const silent = objects
    .filter(({ motion, time_server }) => motion === 'no_signal' && time_server !== null)
    .map(({ id, name, ...each }) => ({ id, name, signal: lastSignal(each)! }))
    .sort((one, other) => (one.signal < other.signal ? 1 : -1))
  return {
    title: t('No signal'),
    help: t('Most recent signal loss first.'),
    count: silent.length,
    to: `${at}/objects?show=no_signal&sort=-time_device`,
    action: t('Show vehicles with no signal'),
    cases: silent.slice(0, SHOWN).map(({ id, name, signal }) => ({
      key: id,
      to: `${at}/objects/${id}`,
      name,
      detail: <Time value={signal} as="ago" />,
    })),
  }
}

export function newVehicles(at: string, objects: FleetObject[]): Concern {
  const unheard = objects.filter(({ time_server }) => time_server === null)
  return {
    title: t('Never sent data'),
    help: t('Check that the tracker sends the vehicle’s ident and uses a valid feed token.'),
    count: unheard.length,
    to: `${at}/objects?show=unseen`,
    action: t('Show vehicles not seen today'),
    cases: unheard.slice(0, SHOWN).map(({ id, name, ident }) => ({
      key: id,
      to: `${at}/objects/${id}`,
      name,
      detail: <code>{ident}</code>,
    })),
  }
}

export function refusedDevices(at: string, { items }: RefusedIdents): Concern {
  return {
    title: t('Trackers without a vehicle'),
    help: t('These trackers send to this organization, but no vehicle has their ident.'),
    count: items.length,
    to: `${at}/objects`,
    action: t('Create vehicles'),
    cases: items.slice(0, SHOWN).map(({ ident, last_at }) => ({
      key: ident,
      to: `${at}/objects`,
      name: ident,
      detail: <Time value={last_at} as="ago" />,
    })),
  }
}

export function wrongClocks(at: string, { items }: WrongClocks): Concern {
  return {
    title: t('Devices with incorrect clocks'),
    help: t('All positions from these devices are rejected because of their time.'),
    count: items.length,
    to: `${at}/objects`,
    action: t('Show device times'),
    cases: items.slice(0, SHOWN).map(({ id, name, reason }) => ({
      key: id,
      to: `${at}/objects/${id}`,
      name,
      detail: reason === 'in_future' ? t('clock ahead') : t('clock behind'),
    })),
  }
}

/** Attributes with recent values outside their range. The example of each leads to its vehicle. */
export function outOfRange(at: string, attributes: Attribute[]): Concern {
  const wrong = attributes.flatMap(({ out_of_range: example, ...each }) =>
    example === null ? [] : [{ ...each, example }],
  )
  return {
    title: t('Values out of range'),
    help: t('Answers leave these values out. Check the sensor, or the range of the attribute.'),
    count: wrong.length,
    to: `${at}/attributes`,
    action: t('Show attributes'),
    cases: wrong.slice(0, SHOWN).map(({ name, label, example }) => ({
      key: name,
      to: `${at}/objects/${example.object}`,
      name: label,
      detail: (
        <>
          {valueText(example.value)}, <Time value={example.value_at} as="ago" />
        </>
      ),
    })),
  }
}

export function brokenWebhooks(at: string, webhooks: Webhook[]): Concern {
  const broken = webhooks.filter(({ state }) => state !== 'on')
  return {
    title: t('Webhooks off or failing'),
    help: t('Receivers are not getting changes from this organization.'),
    count: broken.length,
    to: `${at}/webhooks`,
    action: t('Show webhooks'),
    cases: broken.slice(0, SHOWN).map(({ id, url, state, failing_since, off_at }) => ({
      key: id,
      to: `${at}/webhooks`,
      name: hostOf(url),
      detail:
        state === 'failing' ? (
          <Phrase text="Failing since <time />" parts={{ time: <Time value={failing_since} /> }} />
        ) : (
          <Phrase text="Off since <time />" parts={{ time: <Time value={off_at} /> }} />
        ),
    })),
  }
}

type Expiring = Pick<Credential | Token, 'id' | 'name' | 'created_at' | 'expires_at'> & {
  revoked_at?: string | null
}

type Kept = { kind: string; to: string; items: readonly Expiring[] }

/** Keys and tokens that expire soon. One that was made for a short time was not meant to stay. */
export function expiring(lists: Kept[], now: number): Concern {
  const soon = lists
    .flatMap(({ kind, to, items }) => items.map((each) => ({ ...each, kind, to })))
    .filter(({ revoked_at = null, created_at, expires_at }) => {
      const stateAt = (time: number) => stateOf({ revoked_at, expires_at }, time)
      return stateAt(now) === 'ending' && stateAt(Date.parse(created_at)) === 'active'
    })
    .sort((one, other) => (one.expires_at! < other.expires_at! ? -1 : 1))
  return {
    title: t('Expiring keys and tokens'),
    help: t(
      'These expire within {{days}} days. Replace them before the programs that use them stop working.',
      {
        days: SOON_DAYS,
      },
    ),
    count: soon.length,
    to: soon[0]?.to ?? lists[0]!.to,
    action: t('Show keys and tokens'),
    cases: soon.slice(0, SHOWN).map(({ kind, id, to, name, expires_at }) => ({
      key: `${kind} ${id}`,
      to,
      name,
      detail: (
        <>
          {kind}, <Time value={expires_at} as="ago" />
        </>
      ),
    })),
  }
}

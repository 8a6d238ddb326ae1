import { useId } from 'react'
import { Link } from 'wouter'
import { useRights } from '../api/rights.ts'
import type { FleetObject, OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Badge } from '../ui/Badge.tsx'
import { Figures } from '../ui/Figures.tsx'
import { count } from '../ui/format.ts'
import { Icon } from '../ui/Icon.tsx'
import { MOTION_NAMES } from '../ui/motion-names.ts'
import { useTitle } from '../ui/page/title.ts'
import { Loaded } from '../ui/state/Loaded.tsx'
import {
  brokenWebhooks,
  type Concern,
  expiring,
  newVehicles,
  outOfRange,
  refusedDevices,
  silentVehicles,
  wrongClocks,
} from './concerns.tsx'
import { useAttention } from './queries.ts'
import './OverviewPage.css'

/** The start page of an organization: how the fleet is, and what somebody has to do. */
export function OverviewPage({ organization }: { organization: OrganizationSummary }) {
  useTitle(t('Overview'), organization.name)
  const { oversees } = useRights(organization.id)
  const lists = useAttention(organization.id, oversees)
  // The age of a key is of days, so that no clock has to tick for it.
  const now = lists.objects.dataUpdatedAt
  const concerns = concernsOf(`/organizations/${organization.id}`, lists, now)
  const shown = oversees ? Object.values(lists) : [lists.objects, lists.refused, lists.clocks]
  const missing = shown.find(({ data }) => data === undefined)
  return (
    <>
      <h1>{t('Overview')}</h1>
      {lists.objects.data !== undefined && (
        <FleetFigures organization={organization.id} objects={lists.objects.data.items} />
      )}
      <h2>{t('Needs attention')}</h2>
      <div className="concerns">
        {concerns.map((concern) => (
          <ConcernCard key={concern.title} concern={concern} />
        ))}
      </div>
      {missing !== undefined && <Loaded<unknown> query={missing}>{() => null}</Loaded>}
      {missing === undefined && concerns.length === 0 && (
        <p className="all-well">
          <Icon name="done" size={18} />
          {t('Nothing needs your attention.')}
        </p>
      )}
    </>
  )
}

/** Those that there are, from the lists that are loaded. */
function concernsOf(at: string, lists: ReturnType<typeof useAttention>, now: number): Concern[] {
  const { objects, refused, clocks, webhooks, keys, feedTokens, tokens, attributes } = lists
  const concerns = [
    objects.data && silentVehicles(at, objects.data.items),
    refused.data && refusedDevices(at, refused.data),
    clocks.data && wrongClocks(at, clocks.data),
    attributes.data && outOfRange(at, attributes.data.items),
    webhooks.data && brokenWebhooks(at, webhooks.data.items),
    expiring(
      [
        { kind: t('API key'), to: `${at}/keys`, items: keys.data?.items ?? [] },
        {
          kind: t('Feed token'),
          to: `${at}/keys/feed-tokens`,
          items: feedTokens.data?.items ?? [],
        },
        { kind: t('Token'), to: `${at}/people`, items: tokens.data?.items ?? [] },
      ],
      now,
    ),
    objects.data && newVehicles(at, objects.data.items),
  ]
  return concerns.filter((each) => each !== undefined && each.count > 0) as Concern[]
}

const MOTIONS = ['moving', 'idle', 'stopped', 'no_signal'] as const

function FleetFigures({ organization, objects }: { organization: number; objects: FleetObject[] }) {
  const list = `/organizations/${organization}/objects`
  const numbered = (motion: (typeof MOTIONS)[number]) =>
    count(objects.filter((each) => each.motion === motion).length)
  return (
    <Figures
      items={[
        [
          t('Vehicles'),
          <Link key="all" href={list}>
            {count(objects.length)}
          </Link>,
        ],
        ...MOTIONS.map(
          (motion) =>
            [
              MOTION_NAMES[motion],
              <Link key={motion} href={`${list}?show=${motion}`}>
                {numbered(motion)}
              </Link>,
            ] as const,
        ),
      ]}
    />
  )
}

function ConcernCard({ concern }: { concern: Concern }) {
  const { title, help, to, action, cases } = concern
  const id = useId()
  return (
    <section className="card concern" aria-labelledby={id}>
      <div>
        <div className="row">
          <h3 id={id}>{title}</h3>
          <Badge kind="warn">{count(concern.count)}</Badge>
        </div>
        <p className="card-lead">{help}</p>
      </div>
      <ul>
        {cases.map((each) => (
          <li key={each.key}>
            <Link href={each.to}>
              <bdi>{each.name}</bdi>
            </Link>
            <span className="soft small">{each.detail}</span>
          </li>
        ))}
      </ul>
      <Link href={to} className="concern-action">
        {action}
      </Link>
    </section>
  )
}

import type { ErasedRanges } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Time } from '../ui/time/Time.tsx'

/** The first and the last time of a range of positions, or the only one. */
export function RangeTimes({ from, to }: { from: string; to: string }) {
  return (
    <>
      <Time value={from} as="second" />{' '}
      {from !== to && (
        <>
          – <Time value={to} as="second" />
        </>
      )}
    </>
  )
}

type Follower = ErasedRanges['items'][number]['webhooks'][number]

type FollowersProps = { webhooks: (Omit<Follower, 'has_followed'> & Partial<Follower>)[] }

/** Webhooks and relays, and whether they have followed a deletion. Before it, nobody has. */
export function Followers({ webhooks }: FollowersProps) {
  if (webhooks.length === 0) return <span className="soft">{t('None.')}</span>
  return webhooks.map((each) => (
    <div key={each.id}>
      {each.origin} <span className="soft">{followedText(each)}</span>
    </div>
  ))
}

function followedText({ form, has_followed: has }: FollowersProps['webhooks'][number]): string {
  if (form !== 'changes') return t('keeps the positions: ask the receiver')
  if (has === undefined) return t('is sent the deletion')
  return has === true ? t('has received the deletion') : t('has not received the deletion yet')
}

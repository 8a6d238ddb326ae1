import type { OrganizationSummary } from '../api/types.ts'
import { DisclosuresPage } from '../disclosures/DisclosuresPage.tsx'
import { CredentialsCard } from '../keys/CredentialsCard.tsx'
import { FeedLines } from '../keys/FeedLines.tsx'
import { KeyLines } from '../keys/KeyLines.tsx'
import { t } from '../language/text.ts'
import { useTitle } from '../ui/page/title.ts'
import { NotFound } from '../ui/state/NotFound.tsx'
import { Tabs } from '../ui/Tabs.tsx'

const PARTS = {
  issued: { title: t('API keys'), Part: IssuedKeys },
  'feed-tokens': { title: t('Feed tokens'), Part: FeedTokens },
  disclosures: { title: t('Data access'), Part: DisclosuresPage },
}

type KeysPageProps = { organization: OrganizationSummary; part: string }

/** The API keys and feed tokens of an organization, and the data that keys were shown. */
export function KeysPage({ organization, part }: KeysPageProps) {
  const base = `/organizations/${organization.id}/keys`
  if (!Object.hasOwn(PARTS, part)) return <NotFound />
  const { Part } = PARTS[part as keyof typeof PARTS]
  return (
    <>
      <Tabs
        label={t('API keys')}
        items={Object.entries(PARTS).map(([each, { title }]) => [`${base}/${each}`, title])}
      />
      <Part organization={organization} />
    </>
  )
}

function IssuedKeys({ organization }: { organization: OrganizationSummary }) {
  useTitle(t('API keys'), organization.name)
  return (
    <CredentialsCard
      organization={organization}
      kind="keys"
      title={t('API keys')}
      lead={t('A key reads this organization, or a part of it. Give each program its own key.')}
      empty={t(
        'Nobody can read this organization over the API. Issue a key, and give it to the person who writes the program.',
      )}
      lines={(secret) => <KeyLines secret={secret} />}
    />
  )
}

function FeedTokens({ organization }: { organization: OrganizationSummary }) {
  useTitle(t('Feed tokens'), organization.name)
  return (
    <CredentialsCard
      organization={organization}
      kind="feed-tokens"
      title={t('Feed tokens')}
      lead={t(
        'Trackers, phones and tracking servers send positions with a feed token. It reads nothing.',
      )}
      empty={t(
        'The organization has no token of its own. Issue one for its trackers: it comes with lines to configure them. Positions that come by a token of the deployment need none.',
      )}
      lines={(token) => <FeedLines token={token} />}
    />
  )
}

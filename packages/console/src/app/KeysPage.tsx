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
      lead={t(
        'A key gives a program read access to all or part of this organization. Issue a separate key for each program.',
      )}
      empty={t(
        'No program can read this organization’s data through the API yet. Issue a key and give it to your developer.',
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
        'Trackers, phones and tracking servers send positions with a feed token. A feed token cannot read data.',
      )}
      empty={t(
        'Issue a token to get the configuration for this organization’s trackers. Positions sent with a deployment feed token need no token here.',
      )}
      lines={(token) => <FeedLines token={token} />}
    />
  )
}

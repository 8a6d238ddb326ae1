import { useServer } from '../api/queries.ts'
import type { OrganizationSummary } from '../api/types.ts'
import { DisclosuresPage } from '../disclosures/DisclosuresPage.tsx'
import { CredentialsCard } from '../keys/CredentialsCard.tsx'
import { KeyLines } from '../keys/KeyLines.tsx'
import { t } from '../language/text.ts'
import { useTitle } from '../ui/page/title.ts'
import { NotFound } from '../ui/state/NotFound.tsx'
import { Tabs } from '../ui/Tabs.tsx'

type KeysPageProps = { organization: OrganizationSummary; part: string }

/** The API keys of an organization, and what they were shown. */
export function KeysPage({ organization, part }: KeysPageProps) {
  const base = `/organizations/${organization.id}/keys`
  if (!(part in PARTS)) return <NotFound />
  return (
    <>
      <Tabs
        small
        label={t('API keys')}
        items={Object.entries(PARTS).map(([each, title]) => [`${base}/${each}`, title])}
      />
      {part === 'issued' ? (
        <IssuedKeys organization={organization} />
      ) : (
        <DisclosuresPage organization={organization} />
      )}
    </>
  )
}

const PARTS: Record<string, string> = { issued: t('Keys'), disclosures: t('What was given out') }

function IssuedKeys({ organization }: { organization: OrganizationSummary }) {
  useTitle(t('API keys'), organization.name)
  const server = useServer()
  return (
    <CredentialsCard
      organization={organization}
      kind="keys"
      title={t('API keys')}
      lead={t(
        'A key reads this organization, or the part that it is limited to, and changes nothing. Give each program its own key, so that you can revoke one without disturbing the others.',
      )}
      empty={t(
        'Nobody can read this organization over the API. Issue a key, and give it to the person who writes the program.',
      )}
      lines={(secret) => <KeyLines secret={secret} apiUrl={server.data?.api_url ?? null} />}
    />
  )
}

import { useRights } from '../api/rights.ts'
import { CredentialsCard } from '../keys/CredentialsCard.tsx'
import { FeedLines } from '../keys/FeedLines.tsx'
import { t } from '../language/text.ts'
import { MayChangeHere } from '../ui/changing.tsx'
import { useTitle } from '../ui/page/title.ts'
import { NotFound } from '../ui/state/NotFound.tsx'
import { Tabs } from '../ui/Tabs.tsx'
import { AllRefusedCard } from './AllRefusedCard.tsx'
import { RulesCard } from './RulesCard.tsx'
import { TryRouting } from './TryRouting.tsx'
import { WaitingCard } from './WaitingCard.tsx'

/** The organizations that get what feed tokens of the deployment bring. `part`: a key of `PARTS`. */
export function RoutingPage({ part }: { part: string }) {
  const { changes } = useRights(null)
  const Part = PARTS[part]
  if (Part === undefined) return <NotFound />
  return (
    <MayChangeHere value={changes}>
      <div>
        <h1>{t('Routing')}</h1>
        <p className="soft small">
          {t(
            'One server, such as Traccar, can send the positions of several organizations. Each ident goes to the organizations that own it.',
          )}
        </p>
      </div>
      <Tabs
        label={t('Routing')}
        items={Object.entries(PARTS).map(([each, { title }]) => [`/routing/${each}`, title])}
      />
      <Part.Shown />
    </MayChangeHere>
  )
}

const PARTS: Record<string, { title: string; Shown: () => React.ReactNode }> = {
  waiting: { title: t('Waiting idents'), Shown: Waiting },
  rules: { title: t('Rules'), Shown: Rules },
  tokens: { title: t('Tokens'), Shown: Tokens },
}

function Waiting() {
  useTitle(t('Waiting idents'), t('Routing'))
  return (
    <>
      <WaitingCard />
      <AllRefusedCard />
    </>
  )
}

function Rules() {
  useTitle(t('Rules'), t('Routing'))
  return (
    <>
      <RulesCard />
      <TryRouting />
    </>
  )
}

function Tokens() {
  useTitle(t('Tokens'), t('Routing'))
  return (
    <CredentialsCard
      organization={null}
      kind="feed-tokens"
      title={t('Deployment feed tokens')}
      lead={t(
        'With one of these tokens, a server can send positions for all organizations. The tokens cannot read anything. For the trackers and phones of one organization, issue a feed token in that organization.',
      )}
      empty={t(
        'No server can send for several organizations yet. Issue a token to get the configuration for Traccar.',
      )}
      lines={(token) => <FeedLines token={token} isOfDeployment />}
    />
  )
}

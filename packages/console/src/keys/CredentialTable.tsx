import type { CredentialKind } from '../api/queries.ts'
import type { Credential } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Badge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { count } from '../ui/format.ts'
import { type Column, Table } from '../ui/table/Table.tsx'
import { useNow } from '../ui/time/clock.ts'
import { Time } from '../ui/time/Time.tsx'
import { grantInWords } from './grant.ts'
import { OPENS } from './scenarios.ts'
import { ScopeWords } from './scope/ScopeWords.tsx'
import { SENDING_APPS } from './sending-apps.ts'
import { isValid, stateOf } from './state.ts'
import './Grant.css'

type CredentialTableProps = {
  kind: CredentialKind
  rows: Credential[]
  onChangeScope: (credential: Credential) => void
  onChangeGrant: (credential: Credential) => void
  onRotate: (credential: Credential) => void
  onRevoke: (credential: Credential) => void
}

export function CredentialTable(props: CredentialTableProps) {
  const { kind, rows } = props
  const now = useNow()
  const requests: Column<Credential>[] = [
    { name: t('Requests today'), number: true, cell: (each) => count(each.requests_today) },
    { name: t('30 days'), number: true, cell: (each) => count(each.requests_30_days) },
  ]
  const opens: Column<Credential> = {
    name: t('Opens'),
    cell: ({ scope, scenario }) =>
      scenario === null ? <ScopeWords scope={scope} /> : OPENS[scenario],
  }
  const sender: Column<Credential> = {
    name: t('Sender'),
    cell: ({ client }) => SENDING_APPS[client ?? 'any'],
  }
  const columns: Column<Credential>[] = [
    { name: t('Name'), cell: (each) => <NameAndGrant credential={each} /> },
    {
      name: t('Begins and ends'),
      cell: (each) => <code>{`${each.prefix}…${each.last_four}`}</code>,
    },
    kind === 'keys' ? opens : sender,
    { name: t('Issued'), cell: ({ created_at }) => <Time value={created_at} as="day" /> },
    { name: t('Good until'), cell: (each) => <Until credential={each} now={now} /> },
    { name: t('Last used'), cell: ({ last_used_at }) => <Time value={last_used_at} as="ago" /> },
    ...requests,
    {
      name: t('Actions'),
      actions: true,
      cell: (each) => isValid(each, now) && <RowActions {...props} credential={each} />,
    },
  ]
  return (
    <Table
      label={kind === 'keys' ? t('API keys') : t('Feed tokens')}
      columns={columns}
      rows={rows}
      rowKey={({ id }) => id}
      isOff={(each) => !isValid(each, now)}
    />
  )
}

type RowActionsProps = Omit<CredentialTableProps, 'rows'> & { credential: Credential }

function RowActions(props: RowActionsProps) {
  const { kind, credential, onChangeScope, onChangeGrant, onRotate, onRevoke } = props
  return (
    <>
      {kind === 'keys' && credential.scenario === null && (
        <Button
          small
          look="quiet"
          aria-label={t('Change scope of {{name}}', { name: credential.name })}
          onClick={() => onChangeScope(credential)}
        >
          {t('Scope')}
        </Button>
      )}
      {kind === 'keys' && (
        <Button
          small
          look="quiet"
          aria-label={t('Change recipient of {{name}}', { name: credential.name })}
          onClick={() => onChangeGrant(credential)}
        >
          {t('Recipient')}
        </Button>
      )}
      {!credential.lacks_purpose && (
        <Button
          small
          look="quiet"
          aria-label={t('Rotate {{name}}', { name: credential.name })}
          onClick={() => onRotate(credential)}
        >
          {t('Rotate')}
        </Button>
      )}
      <Button
        small
        look="remove"
        aria-label={t('Revoke {{name}}', { name: credential.name })}
        onClick={() => onRevoke(credential)}
      >
        {t('Revoke')}
      </Button>
    </>
  )
}

function NameAndGrant({ credential }: { credential: Credential }) {
  const { name, lacks_purpose: lacksPurpose } = credential
  const grant = grantInWords(credential)
  return (
    <div>
      {name}
      {grant !== '' && <div className="soft small key-grant">{t('For {{grant}}', { grant })}</div>}
      {lacksPurpose && (
        <div>
          <Badge kind="warn">{t('Lacks purpose')}</Badge>
        </div>
      )}
    </div>
  )
}

function Until({ credential, now }: { credential: Credential; now: number }) {
  switch (stateOf(credential, now)) {
    case 'revoked':
      return (
        <span>
          <Badge>{t('Revoked')}</Badge> <Time value={credential.revoked_at} as="day" />
        </span>
      )
    case 'expired':
      return (
        <span>
          <Badge>{t('Expired')}</Badge> <Time value={credential.expires_at} as="day" />
        </span>
      )
    case 'ending':
      return (
        <span>
          <Badge kind="warn">{t('Ends soon')}</Badge>{' '}
          <Time value={credential.expires_at} as="minute" />
        </span>
      )
    case 'active':
      return <Time value={credential.expires_at} as="day" none={t('no end')} />
  }
}

import { useState } from 'react'
import { LINK_RULES } from '../../../server/src/base/domain/access-settings.ts'
import { MAX_LINK_MS } from '../../../server/src/base/domain/link.ts'
import { change } from '../api/client.ts'
import { useObjects } from '../api/queries.ts'
import type { CreatedLink, NewLink, OrganizationSummary } from '../api/types.ts'
import { useVehiclesInWords } from '../grants/grant.ts'
import { DiscloseeFields } from '../keys/DiscloseeFields.tsx'
import { isDiscloseeReady } from '../keys/disclosee.ts'
import { t } from '../language/text.ts'
import { FormDialog } from '../ui/dialog/FormDialog.tsx'
import { CheckField, optionsOf, SelectField, TextField } from '../ui/form/Field.tsx'
import { More } from '../ui/form/More.tsx'
import { PickObjects } from '../ui/form/PickObjects.tsx'
import { useSaving } from '../ui/form/use-saving.ts'
import { MomentField } from '../ui/time/MomentField.tsx'
import { useUtc } from '../ui/time/time-zone.ts'
import {
  BEGINS,
  draftOf,
  ENDS,
  grantsIn,
  isLinkReady,
  type LinkDraft,
  linkIn,
} from './link-draft.ts'
import { SeenByViewers, ShownLink } from './ShownLink.tsx'

type ShareVehiclesProps = {
  organization: OrganizationSummary
  /** The vehicles that are chosen at first. */
  objects: number[]
  onClose: () => void
}

/** Makes a link to vehicles, and shows it once. */
export function ShareVehicles({ organization, objects, onClose }: ShareVehiclesProps) {
  const fleet = useObjects(organization.id).data?.items
  const [issued, setIssued] = useState<CreatedLink>()
  const [now] = useState(Date.now)
  const [utc] = useUtc()
  const [draft, setDraft] = useState(() => draftOf(objects, now))
  const set = (part: Partial<LinkDraft>) => setDraft((before) => ({ ...before, ...part }))
  const lastOf = (object: number) => fleet?.find(({ id }) => id === object)?.time_device
  const at = { now, utc, lastOf }
  const grants = grantsIn(draft, at)
  const ownName = useVehiclesInWords(organization.id)(draft.objects)
  const needsDisclosee = organization.keys_need_purpose
  const isChosen = fleet !== undefined && draft.objects.length > 0
  const share = useSaving({
    request: (body: NewLink) =>
      change<CreatedLink>('POST', `/organizations/${organization.id}/links`, body),
    onAnswer: setIssued,
    refreshes: [['organization', organization.id]],
  })
  if (issued !== undefined) {
    return <ShownLink organization={organization.id} issued={issued} onClose={onClose} />
  }
  return (
    <FormDialog
      title={isChosen ? t('Share {{name}}', { name: ownName }) : t('Share vehicles')}
      action={t('Create link')}
      saving={share}
      isReady={isChosen && isLinkReady(draft, at) && (isDiscloseeReady(draft) || !needsDisclosee)}
      rules={LINK_RULES}
      fields={['expires_at']}
      onSubmit={() => share.mutate(linkIn(draft, at, ownName))}
      onClose={onClose}
    >
      <PickObjects
        organization={organization}
        placeholder={t('Search by name or ident')}
        chosen={draft.objects}
        onChange={(ids) => set({ objects: ids.map(Number) })}
        fault={draft.objects.length === 0 && t('Choose at least one.')}
      />
      <PeriodFields draft={draft} set={set} now={now} />
      <CheckField
        label={t('Show the track')}
        name="shows_way"
        value={draft.showsWay}
        onChange={(showsWay) => set({ showsWay })}
      />
      <More label={t('Name, recipient and purpose')} isOpen={needsDisclosee}>
        <TextField
          label={t('Name')}
          name="name"
          autoComplete="off"
          placeholder={ownName}
          value={draft.name}
          onChange={(name) => set({ name })}
          help={t('The title of the page that the link opens.')}
        />
        <DiscloseeFields
          organization={organization}
          draft={draft}
          onChange={set}
          isNeeded={needsDisclosee}
        />
      </More>
      {isChosen && (
        <SeenByViewers organization={organization.id} grants={grants} showsWay={draft.showsWay} />
      )}
    </FormDialog>
  )
}

type PeriodFieldsProps = {
  draft: LinkDraft
  set: (part: Partial<LinkDraft>) => void
  now: number
}

function PeriodFields({ draft, set, now }: PeriodFieldsProps) {
  const missing = (instant: string | null) => instant === null && t('Choose a date.')
  return (
    <div className="columns">
      <div className="stack-small">
        <SelectField
          label={t('Start')}
          options={optionsOf(BEGINS)}
          value={draft.begin}
          onChange={(begin) => set({ begin })}
        />
        {draft.begin === 'time' && (
          <MomentField
            label={t('Data from')}
            bound="first"
            value={draft.from}
            onChange={(from) => set({ from })}
            fault={missing(draft.from)}
          />
        )}
      </div>
      <div className="stack-small">
        <SelectField
          label={t('Expires')}
          options={optionsOf(ENDS)}
          value={draft.end}
          onChange={(end) => set({ end })}
        />
        {draft.end === 'time' && (
          <MomentField
            label={t('Data until')}
            name="expires_at"
            bound="last"
            range={[now, now + MAX_LINK_MS]}
            value={draft.until}
            onChange={(until) => set({ until })}
            fault={missing(draft.until)}
          />
        )}
      </div>
    </div>
  )
}

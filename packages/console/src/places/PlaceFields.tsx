import type { PlaceKind } from '../api/queries.ts'
import { t } from '../language/text.ts'
import { CheckField, NumberField, TextArea, TextField } from '../ui/form/Field.tsx'
import type { PlaceDraft } from './place-draft.ts'

type PlaceFieldsProps = {
  kind: PlaceKind
  draft: PlaceDraft
  nameless: boolean
  onChange: (part: Partial<PlaceDraft>) => void
}

const COLOR = '#0b6b66'

export function PlaceFields({ kind, draft, nameless, onChange }: PlaceFieldsProps) {
  return (
    <>
      <TextField
        label={t('Name')}
        name="name"
        autoComplete="off"
        value={draft.name}
        onChange={(name) => onChange({ name })}
        fault={nameless && t('Enter a name.')}
      />
      <TextArea
        label={t('Description')}
        name="description"
        value={draft.description ?? ''}
        onChange={(text) => onChange({ description: text === '' ? null : text })}
      />
      {kind !== 'sites' && <ColorFields color={draft.color} onChange={onChange} />}
      {kind === 'routes' && (
        <NumberField
          label={t('Allowed deviation')}
          unit="m"
          name="deviation"
          value={draft.deviation}
          onChange={(deviation) => onChange({ deviation })}
          help={t(
            'How far a vehicle may stray from the route and still count as on it. Leave empty if unknown.',
          )}
        />
      )}
      {kind === 'sites' && <SiteFields draft={draft} onChange={onChange} />}
    </>
  )
}

type PartProps = Pick<PlaceFieldsProps, 'onChange'>

function ColorFields({ color, onChange }: PartProps & { color: string | null }) {
  return (
    <>
      <CheckField
        label={t('Custom color')}
        value={color !== null}
        onChange={(own) => onChange({ color: own ? COLOR : null })}
      />
      {color !== null && (
        <TextField
          label={t('Color')}
          name="color"
          type="color"
          value={opaque(color)}
          onChange={(next) => onChange({ color: next })}
        />
      )}
    </>
  )
}

/** A browser's color input takes only `#rrggbb`. */
function opaque(color: string): string {
  return color.length === 4
    ? `#${[...color.slice(1)].map((each) => each + each).join('')}`
    : color.slice(0, 7)
}

/** The coordinates as text too, for users who cannot use a map or know the numbers. */
function SiteFields({ draft: { icon, circle }, onChange }: PartProps & { draft: PlaceDraft }) {
  const at = (part: Partial<NonNullable<PlaceDraft['circle']>>) =>
    onChange({ circle: { latitude: 0, longitude: 0, radius: null, ...circle, ...part } })
  return (
    <>
      <NumberField
        label={t('Radius')}
        unit="m"
        name="radius"
        value={circle?.radius ?? null}
        onChange={(radius) => at({ radius })}
      />
      <div className="columns columns-narrow">
        <NumberField
          label={t('Latitude')}
          name="latitude"
          value={circle?.latitude ?? null}
          onChange={(latitude) => at({ latitude: latitude ?? 0 })}
        />
        <NumberField
          label={t('Longitude')}
          name="longitude"
          value={circle?.longitude ?? null}
          onChange={(longitude) => at({ longitude: longitude ?? 0 })}
        />
      </div>
      <TextField
        label={t('Icon')}
        name="icon"
        autoComplete="off"
        value={icon ?? ''}
        onChange={(text) => onChange({ icon: text === '' ? null : text })}
        help={t('A name that your programs can map to a picture.')}
      />
    </>
  )
}

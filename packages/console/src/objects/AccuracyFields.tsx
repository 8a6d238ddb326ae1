import type { ComponentProps } from 'react'
import type { Accuracy } from '../api/types.ts'
import { t } from '../language/text.ts'
import { ComboField, NumberField, optionsOf, SelectField } from '../ui/form/Field.tsx'

const DISTANCE_SOURCES = optionsOf<Accuracy['distance_source']>({
  gps: t('GPS positions'),
  odometer: t('Device odometer'),
})

const METHODS = optionsOf<Accuracy['stop_detection_method']>({
  speed: t('By speed'),
  ignition: t('By ignition'),
})

/** The settings that are numbers. */
type NumberName = {
  [Name in keyof Accuracy]: Accuracy[Name] extends number | null ? Name : never
}[keyof Accuracy]

type NumberSetting = Pick<
  ComponentProps<typeof NumberField>,
  'label' | 'unit' | 'placeholder' | 'help'
>

/** First those that decide which positions are accepted and shown, then those that decide when the vehicle moves. */
const NUMBERS: (NumberSetting & { name: NumberName })[] = [
  {
    name: 'maximum_hdop',
    label: t('Maximum HDOP'),
    help: t(
      'Positions with a higher HDOP are rejected. Below 2 is precise, 5 is fair, and above 10 a position can be streets away. Lower it if the track jumps. Raise it if positions are missing in narrow streets.',
    ),
  },
  {
    name: 'maximum_accuracy',
    label: t('Maximum position error'),
    unit: 'm',
    help: t(
      'Phones report how many meters a position may be off. Positions from cell towers can be off by kilometers, so a parked phone would seem to move. Packets without this value are accepted.',
    ),
  },
  {
    name: 'minimum_gps_level',
    label: t('Minimum GPS level'),
    help: t(
      'How many satellites a position needs, on most devices. 4 is reliable. 0 accepts every position. Packets without this value are accepted.',
    ),
  },
  {
    name: 'minimum_difference_point',
    label: t('Minimum distance between positions'),
    help: t(
      'In meters. The history hides positions that are closer to the previous one. Raise it if a parked vehicle has a tangled track. 0 shows all positions.',
    ),
  },
  {
    name: 'minimum_moving_speed',
    label: t('Minimum moving speed'),
    unit: 'km/h',
    help: t(
      'At or above this speed, the vehicle counts as moving and its distance is added to the odometer. Raise it if a parked vehicle seems to creep. Lower it for slow machines.',
    ),
  },
  {
    name: 'idle_speed_threshold',
    label: t('Idle speed threshold'),
    unit: 'km/h',
    help: t(
      'For devices that do not report the ignition. Above this speed and below the minimum moving speed, the engine counts as running.',
    ),
  },
  {
    name: 'maximum_gap',
    label: t('Longest gap within a trip'),
    unit: t('minutes'),
    placeholder: t('Same as organization'),
    help: t(
      'After a longer gap between two positions, the signal counts as lost. The gap becomes part of a stop, or a separate trip if the vehicle has moved. Leave empty to use the organization’s setting.',
    ),
  },
]

type AccuracyFieldsProps = {
  accuracy: Accuracy
  timeZones: string[]
  onChange: <Name extends keyof Accuracy>(name: Name, value: Accuracy[Name]) => void
}

/** In the words of who manages vehicles, not of who builds receivers. */
export function AccuracyFields({ accuracy, timeZones, onChange }: AccuracyFieldsProps) {
  return (
    <div className="columns">
      {NUMBERS.map(({ name, ...words }) => (
        <NumberField
          key={name}
          name={name}
          {...words}
          value={accuracy[name]}
          onChange={(value) => onChange(name, name === 'maximum_gap' ? value : (value ?? 0))}
        />
      ))}
      <SelectField
        label={t('Stop detection')}
        name="stop_detection_method"
        options={METHODS}
        value={accuracy.stop_detection_method}
        onChange={(value) => onChange('stop_detection_method', value)}
        help={t(
          'By speed, a wait at a traffic light may count as a stop. By ignition, the vehicle counts as stopped only when the engine is off. This requires a device that is wired to the ignition.',
        )}
      />
      <SelectField
        label={t('Distance source')}
        name="distance_source"
        options={DISTANCE_SOURCES}
        value={accuracy.distance_source}
        onChange={(value) => onChange('distance_source', value)}
        help={t(
          'Distances between positions cut corners slightly. The device odometer is more accurate, if the device sends it.',
        )}
      />
      <ComboField
        label={t('Device time zone')}
        name="device_timezone"
        options={timeZones}
        value={accuracy.device_timezone}
        onChange={(value) => onChange('device_timezone', value)}
        help={t(
          'For devices that send local times without a UTC offset. Most devices send UTC. Start typing a city.',
        )}
      />
    </div>
  )
}

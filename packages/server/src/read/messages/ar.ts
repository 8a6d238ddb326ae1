import { type Messages, pluralIn } from './en.ts'

const plural = pluralIn('ar')

/** Isolates left-to-right text within right-to-left text. */
const ltr = (text: string) => `\u2066${text}\u2069`

const FROM = ltr('from_time')
const TO = ltr('to_time')
const LIMIT = ltr('limit')
const IDS = ltr('ids')
const CURSOR = ltr('cursor')
const DATE = ltr('YYYY-MM-DD')
const ISO = ltr('ISO 8601')

export const ar: Messages = {
  unauthorized: () => 'غير مصرح بالوصول',
  tooManyRequests: ({ seconds }) =>
    `ThrottlerException: Too Many Requests. طلبات كثيرة جدًا: أعد المحاولة بعد ${plural(seconds, {
      one: 'ثانية واحدة',
      two: 'ثانيتين',
      few: `${seconds} ثوانٍ`,
      many: `${seconds} ثانية`,
      other: `${seconds} ثانية`,
    })}.`,
  tooManyWholeAnswers: () =>
    `ThrottlerException: Too Many Requests. هناك بالفعل إجابتان بدون ${LIMIT} قيد الإعداد: أعد المحاولة لاحقًا أو حدّد ${LIMIT}.`,
  operationNotOpened: () => 'لا يشمل نطاق مفتاح واجهة البرمجة هذا هذه العملية.',
  subscriptionInactive: ({ state }) =>
    state === 'suspended'
      ? 'اشتراك مؤسستك معلّق. يُرجى التواصل مع المسؤول.'
      : 'اشتراك مؤسستك غير نشط، ووصولها إلى المواقع معلّق. يُرجى التواصل مع المسؤول.',
  invalidId: ({ parameter, value }) =>
    `يجب أن يكون ${ltr(parameter)} عددًا صحيحًا مكتوبًا بالأرقام، وليس «${ltr(value)}».`,
  fromTimeRequired: () =>
    `وقت البداية مطلوب: حدّد ${FROM} بتاريخ (${DATE}) أو بتاريخ ووقت وفق ${ISO}.`,
  toTimeRequired: () => `وقت النهاية مطلوب: حدّد ${TO} بتاريخ (${DATE}) أو بتاريخ ووقت وفق ${ISO}.`,
  timeRequired: () =>
    `المعامل ${ltr('time')} مطلوب: حدّد تاريخًا (${DATE}) أو تاريخًا ووقتًا وفق ${ISO}.`,
  invalidTime: ({ parameter, value }) =>
    `يجب أن يكون ${ltr(parameter)} تاريخًا موجودًا (${DATE}) أو تاريخًا ووقتًا وفق ${ISO}، وليس «${ltr(value)}».`,
  dateRequired: ({ parameter }) => `المعامل ${ltr(parameter)} مطلوب: حدّد تاريخًا (${DATE}).`,
  invalidDate: ({ parameter, value }) =>
    `يجب أن يكون ${ltr(parameter)} تاريخًا موجودًا (${DATE})، وليس «${ltr(value)}».`,
  invalidTimeZone: ({ value }) =>
    `يجب أن يكون ${ltr('tz')} منطقة زمنية من IANA مثل ${ltr('Europe/Madrid')}، وليس «${ltr(value)}».`,
  objectRequired: () => `المعامل ${ltr('object')} مطلوب: حدّد معرّف كائن واحد.`,
  rangeReversed: ({ range }) => `يجب ألا يكون ${ltr(`from_${range}`)} بعد ${ltr(`to_${range}`)}.`,
  repeatedParameter: ({ name }) => `يجب ذكر ${ltr(name)} مرة واحدة فقط.`,
  unknownParameter: ({ name, nearest }) =>
    `${ltr(name)} ليس معلمة لهذه العملية. هل تقصد ${ltr(nearest)}؟`,
  invalidLimit: ({ value }) =>
    `يجب أن يكون ${LIMIT} عددًا صحيحًا لا يقل عن 1 مكتوبًا بالأرقام، وليس «${ltr(value)}».`,
  limitAboveMaximum: ({ maximum }) => `يجب ألا يزيد ${LIMIT} على ${maximum}.`,
  rangeAboveMaximum: ({ range, days }) =>
    `يجب ألا تزيد المدة من ${ltr(`from_${range}`)} إلى ${ltr(`to_${range}`)} على ${plural(days, {
      one: 'يوم واحد',
      two: 'يومين',
      few: `${days} أيام`,
      many: `${days} يومًا`,
      other: `${days} يوم`,
    })}.`,
  rowsAboveMaximum: ({ maximum }) =>
    `تحتوي هذه المدة على أكثر من ${plural(maximum, {
      one: 'صف واحد',
      two: 'صفين',
      few: `${maximum} صفوف`,
      many: `${maximum} صفًا`,
      other: `${maximum} صف`,
    })}، وهو الحد الأقصى لكل رد: حدّد ${LIMIT} لا يزيد على ${maximum} أو مدة أقصر.`,
  rowsAboveSheet: ({ maximum }) =>
    `تحتوي الإجابة على أكثر من ${maximum} صف، وهو الحد الأقصى لجدول البيانات: حدّد ${LIMIT} أو مدة أقصر، أو اختر تنسيقًا آخر.`,
  positionsAboveMaximum: ({ maximum }) =>
    `تحتوي هذه المدة على أكثر من ${maximum} موقع، وهو الحد الأقصى لكل رد: حدّد مدة أقصر.`,
  idsRequired: () => `المعامل ${IDS} مطلوب: اذكر معرّفات الكائنات مفصولة بفواصل (${ltr(',')}).`,
  invalidIds: ({ parameter, value }) =>
    `يجب أن يتكوّن ${ltr(parameter)} من أعداد صحيحة مكتوبة بالأرقام ومفصولة بفواصل (${ltr(',')})، وليس «${ltr(value)}».`,
  tooManyValues: ({ parameter, maximum }) =>
    `يجب ألا يزيد عدد القيم في ${ltr(parameter)} على ${maximum}.`,
  invalidBox: ({ value }) =>
    `يجب أن يكون ${ltr('bbox')} بالصيغة ${ltr('west,south,east,north')} بالدرجات: خطوط الطول من ${ltr('-180')} إلى ${ltr('180')}، وخطوط العرض من ${ltr('-90')} إلى ${ltr('90')}، على ألا يزيد ${ltr('south')} على ${ltr('north')}، وليس «${ltr(value)}».`,
  invalidCursor: () =>
    `قيمة ${CURSOR} غير صالحة هنا: اتبع رابط ${ltr('next')} كما ورد تمامًا، أو ابدأ من جديد بدون ${CURSOR}.`,
  invalidChoice: ({ parameter, value, choices }) =>
    `يجب أن يكون ${ltr(parameter)} إحدى هذه القيم: ${ltr(choices.join(', '))}، وليس «${ltr(value)}».`,
  outOfRange: ({ parameter, value, minimum, maximum }) =>
    `يجب أن يكون ${ltr(parameter)} عددًا صحيحًا من ${minimum} إلى ${maximum} مكتوبًا بالأرقام، وليس «${ltr(value)}».`,
  noTextAttribute: ({ value }) =>
    `يجب أن يذكر ${ltr('by')} سمة من النوع ${ltr('text')}، و«${ltr(value)}» ليست كذلك هنا. تسردها ${ltr('GET /attributes')}.`,
  unknownAttribute: ({ value }) =>
    `${ltr('attributes')} يذكر «${ltr(value)}»، وهي ليست سمة هنا. تسردها ${ltr('GET /attributes')}.`,
  differsFromCursor: ({ parameter }) =>
    `لا يطابق ${ltr(parameter)} قيمة ${CURSOR}: احذفه، أو ابدأ من جديد بدون ${CURSOR}.`,
  cursorExpired: () => `قيمة ${CURSOR} قديمة جدًا: ابدأ من جديد بدون ${CURSOR}.`,
  objectNotFound: () => 'الكائن غير موجود.',
  placeNotFound: () => 'لم يتم العثور على المكان.',
  quotaExhausted: ({ ids }) =>
    `استُنفدت الحصة اليومية لاستخدام واجهة ${ltr('API')} ${plural(ids.length, {
      one: 'للكائن',
      two: 'للكائنين',
      other: 'للكائنات',
    })} ${ltr(ids.join(', '))}. تُجدَّد الحصة عند الساعة ${ltr('00:00 UTC')}.`,
  pathNotFound: () => 'لا يوجد شيء في هذا المسار.',
  methodNotAllowed: ({ allow }) =>
    `هذه الطريقة غير مسموح بها هنا. الطرق المسموح بها: ${ltr(allow)}.`,
  unknownFormat: ({ value, formats }) =>
    `لا يوجد هنا التنسيق «${ltr(value)}». التنسيقات المتاحة: ${ltr(formats.join(', '))}.`,
  malformedRequest: () => `الطلب ليس بصيغة ${ltr('HTTP')} سليمة.`,
  headersTooLarge: () => 'ترويسات الطلب كبيرة جدًا.',
  requestTimeout: () => 'لم يصل الطلب في الوقت المحدد.',
  unavailable: () => 'الخدمة غير متاحة مؤقتًا. يُرجى المحاولة لاحقًا.',
  recordsNotDerived: () => 'تُحسب سجلاتك للمرة الأولى. يُرجى المحاولة لاحقًا.',
  internal: () => 'خطأ داخلي في الخادم.',
}

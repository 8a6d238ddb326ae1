import type { Messages } from './en.ts'

// A Turkish noun after a number stays in the singular, so no form depends on a count.
export const tr: Messages = {
  unauthorized: () => 'Yetkisiz erişim',
  tooManyRequests: ({ seconds }) =>
    `ThrottlerException: Too Many Requests. Çok fazla istek gönderildi; ${seconds} saniye sonra yeniden deneyin.`,
  tooManyWholeAnswers: () =>
    'ThrottlerException: Too Many Requests. limit içermeyen iki yanıt zaten hazırlanıyor; daha sonra yeniden deneyin veya limit verin.',
  operationNotOpened: () => 'Bu API anahtarının kapsamı bu işlemi içermiyor.',
  subscriptionInactive: ({ state }) =>
    state === 'suspended'
      ? 'Kuruluşunuzun aboneliği askıya alınmıştır. Lütfen yöneticiyle iletişime geçin.'
      : 'Kuruluşunuzun aboneliği etkin değil ve konumlara erişimi askıya alınmıştır. Lütfen yöneticiyle iletişime geçin.',
  invalidId: ({ parameter, value }) =>
    `${parameter} yalnızca rakamlardan oluşan bir tam sayı olmalıdır; “${value}” geçersizdir.`,
  fromTimeRequired: () =>
    'Başlangıç zamanı zorunludur: from_time değerini tarih (YYYY-MM-DD) veya ISO 8601 tarih-saat olarak verin.',
  toTimeRequired: () =>
    'Bitiş zamanı zorunludur: to_time değerini tarih (YYYY-MM-DD) veya ISO 8601 tarih-saat olarak verin.',
  timeRequired: () => 'time gerekli: bir tarih (YYYY-MM-DD) veya ISO 8601 tarih-saati verin.',
  invalidTime: ({ parameter, value }) =>
    `${parameter} var olan bir tarih (YYYY-MM-DD) veya ISO 8601 tarih-saat olmalıdır; “${value}” geçersizdir.`,
  dateRequired: ({ parameter }) => `${parameter} zorunludur: bir tarih (YYYY-MM-DD) verin.`,
  invalidDate: ({ parameter, value }) =>
    `${parameter} var olan bir tarih (YYYY-MM-DD) olmalıdır; “${value}” geçersizdir.`,
  invalidTimeZone: ({ value }) =>
    `tz, Europe/Madrid gibi bir IANA saat dilimi olmalıdır; “${value}” geçersizdir.`,
  objectRequired: () => 'object zorunludur: bir nesnenin kimliğini verin.',
  rangeReversed: ({ range }) => `from_${range} değeri to_${range} değerinden sonra olamaz.`,
  repeatedParameter: ({ name }) => `${name} yalnızca bir kez verilmelidir.`,
  unknownParameter: ({ name, nearest }) =>
    `${name} bu işlemin bir parametresi değil. Şunu mu demek istediniz: ${nearest}?`,
  invalidLimit: ({ value }) =>
    `limit yalnızca rakamlardan oluşan ve en az 1 olan bir tam sayı olmalıdır; “${value}” geçersizdir.`,
  limitAboveMaximum: ({ maximum }) => `limit en fazla ${maximum} olabilir.`,
  rangeAboveMaximum: ({ range, days }) =>
    `from_${range} ile to_${range} arasındaki süre en fazla ${days} gün olabilir.`,
  rowsAboveMaximum: ({ maximum }) =>
    `Bu aralıkta bir yanıtın üst sınırı olan ${maximum} satırdan fazlası var: en fazla ${maximum} olan bir limit verin veya aralığı kısaltın.`,
  rowsAboveSheet: ({ maximum }) =>
    `Yanıtta bir elektronik tablonun üst sınırı olan ${maximum} satırdan fazlası var: bir limit verin, aralığı kısaltın veya başka bir format seçin.`,
  positionsAboveMaximum: ({ maximum }) =>
    `Bu aralıkta bir yanıtın üst sınırı olan ${maximum} konumdan fazlası var: aralığı kısaltın.`,
  idsRequired: () => 'ids zorunludur: nesne kimliklerini virgülle ayırarak verin.',
  invalidIds: ({ parameter, value }) =>
    `${parameter} yalnızca rakamlardan oluşan ve virgülle ayrılmış tam sayılar olmalıdır; “${value}” geçersizdir.`,
  tooManyValues: ({ parameter, maximum }) => `${parameter} en fazla ${maximum} değer içerebilir.`,
  invalidBox: ({ value }) =>
    `bbox, derece olarak west,south,east,north olmalıdır: boylam -180 ile 180, enlem -90 ile 90 arasında, south north değerinden büyük olmamalıdır; “${value}” geçersizdir.`,
  invalidCursor: () =>
    'cursor burada geçerli değil: next bağlantısını verildiği gibi izleyin veya cursor olmadan yeniden başlayın.',
  invalidChoice: ({ parameter, value, choices }) =>
    `${parameter} şunlardan biri olmalıdır: ${choices.join(', ')}; “${value}” geçersizdir.`,
  outOfRange: ({ parameter, value, minimum, maximum }) =>
    `${parameter} yalnızca rakamlardan oluşan, ${minimum} ile ${maximum} arasında bir tam sayı olmalıdır; “${value}” geçersizdir.`,
  noTextAttribute: ({ value }) =>
    `by, text türünde bir öznitelik adı olmalıdır; “${value}” burada öyle değildir. GET /attributes bunları listeler.`,
  unknownAttribute: ({ value }) =>
    `attributes içindeki “${value}” burada bir öznitelik değildir. GET /attributes bunları listeler.`,
  differsFromCursor: ({ parameter }) =>
    `${parameter} cursor ile uyuşmuyor: bu parametreyi göndermeyin veya cursor olmadan yeniden başlayın.`,
  cursorExpired: () => 'cursor çok eski: cursor olmadan yeniden başlayın.',
  objectNotFound: () => 'Nesne bulunamadı.',
  placeNotFound: () => 'Yer bulunamadı.',
  quotaExhausted: ({ ids }) =>
    `Şu ${ids.length === 1 ? 'nesne' : 'nesneler'} için günlük API kullanım kotası doldu: ${ids.join(', ')}. Kota 00:00 UTC’de yenilenir.`,
  pathNotFound: () => 'Bu yolda bir kaynak yok.',
  methodNotAllowed: ({ allow }) => `Bu yönteme burada izin verilmiyor. İzin verilenler: ${allow}.`,
  unknownFormat: ({ value, formats }) =>
    `Burada “${value}” biçimi yoktur. Kullanılabilir biçimler: ${formats.join(', ')}.`,
  malformedRequest: () => 'İstek, düzgün biçimlendirilmiş bir HTTP isteği değil.',
  headersTooLarge: () => 'İstek başlıkları çok büyük.',
  requestTimeout: () => 'İstek zamanında ulaşmadı.',
  unavailable: () => 'Hizmet geçici olarak kullanılamıyor. Lütfen daha sonra yeniden deneyin.',
  recordsNotDerived: () => 'Kayıtlarınız ilk kez hesaplanıyor. Lütfen daha sonra yeniden deneyin.',
  internal: () => 'Sunucu iç hatası.',
}

// @ts-check
/** The form's texts by language, and the names of methods, which are no words of any language. */

const ENGLISH = {
  number: "Card Number", expiry: "Expiry", cvc: "CVC", name: "Name on card", card: "Card", save: "Save card details",
  saved: "Saved payment methods", other: "Another payment method", remove: "Remove", standard: "Default",
  makeStandard: "Make default", none: "No payment methods are saved.", or: "Or pay with", pay: "Pay now", methods: "Payment method",
  payWith: "Pay with", total: "{total} in total, with {tax} of tax", ending: "ending in", goesOn: "You continue to {method} to complete the payment.", bank: "Bank",
  fill: "Please enter all fields", wrong: "Please enter valid details", select: "Select a payment method", more: "More",
  required: "This field is required.", badNumber: "Card number is invalid.", badExpiry: "Enter month and year.",
  pastExpiry: "Expiry is in the past.", badCvc: "This code is not complete.",
  terms: "By providing your card information, you allow {merchant} to charge your card for future payments in accordance with their terms.",
  failed: "The payment form could not be loaded.", unanswered: "There was no answer. Load this page again to see what was done.",
  unpaid: "There was no answer, and nothing is paid so far. You can try again: it is paid once.", strip: "Sandbox: test cards", choose: "Choose an outcome",
  stripHint: "Fills in the card. No real bank, no real money.",
};

/** @type {Record<string, Partial<typeof ENGLISH>>} */
const OTHERS = {
  de: {
    number: "Kartennummer", expiry: "Gültig bis", cvc: "CVC", name: "Name auf der Karte", card: "Karte",
    save: "Karte speichern", saved: "Gespeicherte Zahlungsarten", other: "Andere Zahlungsart", remove: "Entfernen",
    standard: "Standard", makeStandard: "Als Standard", none: "Keine Zahlungsart ist gespeichert.",
    or: "Oder bezahlen mit", pay: "Jetzt bezahlen", methods: "Zahlungsart", payWith: "Bezahlen mit", total: "Zusammen {total}, davon {tax} Steuern", ending: "endet auf",
    goesOn: "Die Zahlung geht bei {method} weiter.", bank: "Bank", fill: "Bitte alle Felder ausfüllen", wrong: "Bitte gültige Angaben eingeben",
    terms: "Mit Ihren Kartendaten erlauben Sie {merchant}, Ihre Karte zu deren Bedingungen auch für künftige Zahlungen zu belasten.",
    select: "Bitte eine Zahlungsart wählen", more: "Mehr", required: "Bitte ausfüllen.",
    badNumber: "Diese Kartennummer ist nicht gültig.", badExpiry: "Bitte Monat und Jahr.", pastExpiry: "Die Karte ist abgelaufen.", badCvc: "Prüfnummer unvollständig.",
    failed: "Das Zahlungsformular konnte nicht geladen werden.", unanswered: "Keine Antwort. Was geschehen ist, zeigt die neu geladene Seite.",
    unpaid: "Keine Antwort, und noch ist nichts bezahlt. Ein neuer Versuch ist möglich: bezahlt wird einmal.",
  },
  fr: {
    number: "Numéro de carte", expiry: "Expiration", cvc: "CVC", name: "Nom sur la carte", card: "Carte",
    save: "Enregistrer la carte", saved: "Moyens de paiement enregistrés", other: "Autre moyen de paiement",
    remove: "Supprimer", standard: "Par défaut", makeStandard: "Mettre par défaut",
    none: "Aucun moyen de paiement n'est enregistré.", or: "Ou payer avec", pay: "Payer", methods: "Moyen de paiement",
    payWith: "Payer avec", total: "{total} au total, dont {tax} de taxes", ending: "se terminant par", goesOn: "Le paiement continue chez {method}.", bank: "Banque",
    fill: "Veuillez remplir tous les champs", wrong: "Veuillez saisir des données valides", select: "Choisissez un moyen de paiement",
    more: "Plus", required: "Ce champ est requis.", badNumber: "Ce numéro de carte n'est pas valide.", badExpiry: "Indiquez mois et année.",
    pastExpiry: "Cette carte a expiré.",
    terms: "En fournissant les données de votre carte, vous autorisez {merchant} à la débiter pour de futurs paiements, selon ses conditions.",
    badCvc: "Ce code est incomplet.", failed: "Le formulaire de paiement n'a pas pu être chargé.",
    unanswered: "Pas de réponse. Rechargez cette page pour voir ce qui a été fait.",
    unpaid: "Pas de réponse, et rien n'est encore payé. Vous pouvez réessayer : le paiement n'a lieu qu'une fois.",
  },
};

/** The language of the words. @param {string} locale like `de` or `de-AT`; English where there are no words of it */
export function languageOf(locale) {
  const language = locale.toLowerCase().split(/[-_]/)[0];
  return Object.hasOwn(OTHERS, language) ? language : "en";
}

/** @param {string} locale */
export const wordsOf = locale => ({...ENGLISH, ...OTHERS[languageOf(locale)]});

/** @type {Record<string, string>} */
const NAMES = {
  ideal: "iDEAL", eps: "EPS", giropay: "giropay", ach: "ACH", sepa: "SEPA", bacs: "Bacs", upi_collect: "UPI",
  upi_intent: "UPI app", paypal: "PayPal", we_chat_pay: "WeChat Pay", ali_pay: "Alipay", bancontact_card: "Bancontact",
  afterpay_clearpay: "Afterpay", ach_bank_transfer: "ACH", sepa_bank_transfer: "SEPA", bacs_bank_transfer: "Bacs",
  multibanco_bank_transfer: "Multibanco",
};

/** A method's name as people know it. @param {string} type */
export function nameOf(type) {
  return NAMES[type] ?? type.split("_").map(part => part[0].toUpperCase() + part.slice(1)).join(" ");
}

/** The label of a field that the API asks for. @param {string} path @param {unknown} given */
export function labelOf(path, given) {
  if (typeof given === "string" && given) return nameOf(given);
  const [last, before] = path.split(".").reverse();
  return nameOf(before === "phone" ? `phone_${last}` : last);
}

"""Currencies and how an amount of minor units reads (interface §4.2: "lowest denomination of the currency").

The table holds every active code of ISO 4217 that has a minor unit; metals, test and drawing-right codes have
none and cannot be charged.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Currency(NamedTuple):
    """An ISO 4217 code; one unit is 10 to the power of `exponent` minor units."""

    code: str
    exponent: int
    name: str


def currency(code: str) -> Currency | None:
    """The row of an upper-case code."""
    return _BY_CODE.get(code)


def format_amount(minor: int, code: str) -> str:
    """An amount as people read it: `65.40 USD`, `6540 JPY`, `6.540 BHD`. ValueError for an unknown code."""
    found = _BY_CODE.get(code)
    if found is None:
        raise ValueError(f"{code!r} is not an ISO 4217 currency")
    return f"{format_plain(minor, found.exponent)} {code}"


def format_plain(minor: int, exponent: int) -> str:
    """The number alone, with `exponent` decimals and a point."""
    if exponent == 0:
        return str(minor)
    whole, rest = divmod(abs(minor), 10**exponent)
    return f"{'-' if minor < 0 else ''}{whole}.{rest:0{exponent}d}"


# ISO 4217 list one (current currency and funds codes), 2026.
CURRENCIES: Final = (
    Currency("AED", 2, "UAE Dirham"),
    Currency("AFN", 2, "Afghani"),
    Currency("ALL", 2, "Lek"),
    Currency("AMD", 2, "Armenian Dram"),
    Currency("AOA", 2, "Kwanza"),
    Currency("ARS", 2, "Argentine Peso"),
    Currency("AUD", 2, "Australian Dollar"),
    Currency("AWG", 2, "Aruban Florin"),
    Currency("AZN", 2, "Azerbaijan Manat"),
    Currency("BAM", 2, "Convertible Mark"),
    Currency("BBD", 2, "Barbadian Dollar"),
    Currency("BDT", 2, "Taka"),
    Currency("BHD", 3, "Bahraini Dinar"),
    Currency("BIF", 0, "Burundian Franc"),
    Currency("BMD", 2, "Bermudian Dollar"),
    Currency("BND", 2, "Brunei Dollar"),
    Currency("BOB", 2, "Boliviano"),
    Currency("BOV", 2, "Mvdol"),
    Currency("BRL", 2, "Brazilian Real"),
    Currency("BSD", 2, "Bahamian Dollar"),
    Currency("BTN", 2, "Ngultrum"),
    Currency("BWP", 2, "Pula"),
    Currency("BYN", 2, "Belarusian Ruble"),
    Currency("BZD", 2, "Belize Dollar"),
    Currency("CAD", 2, "Canadian Dollar"),
    Currency("CDF", 2, "Congolese Franc"),
    Currency("CHE", 2, "WIR Euro"),
    Currency("CHF", 2, "Swiss Franc"),
    Currency("CHW", 2, "WIR Franc"),
    Currency("CLF", 4, "Unidad de Fomento"),
    Currency("CLP", 0, "Chilean Peso"),
    Currency("CNY", 2, "Yuan Renminbi"),
    Currency("COP", 2, "Colombian Peso"),
    Currency("COU", 2, "Unidad de Valor Real"),
    Currency("CRC", 2, "Costa Rican Colon"),
    Currency("CUP", 2, "Cuban Peso"),
    Currency("CVE", 2, "Cabo Verde Escudo"),
    Currency("CZK", 2, "Czech Koruna"),
    Currency("DJF", 0, "Djibouti Franc"),
    Currency("DKK", 2, "Danish Krone"),
    Currency("DOP", 2, "Dominican Peso"),
    Currency("DZD", 2, "Algerian Dinar"),
    Currency("EGP", 2, "Egyptian Pound"),
    Currency("ERN", 2, "Nakfa"),
    Currency("ETB", 2, "Ethiopian Birr"),
    Currency("EUR", 2, "Euro"),
    Currency("FJD", 2, "Fiji Dollar"),
    Currency("FKP", 2, "Falkland Islands Pound"),
    Currency("GBP", 2, "Pound Sterling"),
    Currency("GEL", 2, "Lari"),
    Currency("GHS", 2, "Ghana Cedi"),
    Currency("GIP", 2, "Gibraltar Pound"),
    Currency("GMD", 2, "Dalasi"),
    Currency("GNF", 0, "Guinean Franc"),
    Currency("GTQ", 2, "Quetzal"),
    Currency("GYD", 2, "Guyana Dollar"),
    Currency("HKD", 2, "Hong Kong Dollar"),
    Currency("HNL", 2, "Lempira"),
    Currency("HTG", 2, "Gourde"),
    Currency("HUF", 2, "Forint"),
    Currency("IDR", 2, "Rupiah"),
    Currency("ILS", 2, "New Israeli Shekel"),
    Currency("INR", 2, "Indian Rupee"),
    Currency("IQD", 3, "Iraqi Dinar"),
    Currency("IRR", 2, "Iranian Rial"),
    Currency("ISK", 0, "Icelandic Krona"),
    Currency("JMD", 2, "Jamaican Dollar"),
    Currency("JOD", 3, "Jordanian Dinar"),
    Currency("JPY", 0, "Yen"),
    Currency("KES", 2, "Kenyan Shilling"),
    Currency("KGS", 2, "Som"),
    Currency("KHR", 2, "Riel"),
    Currency("KMF", 0, "Comorian Franc"),
    Currency("KPW", 2, "North Korean Won"),
    Currency("KRW", 0, "Won"),
    Currency("KWD", 3, "Kuwaiti Dinar"),
    Currency("KYD", 2, "Cayman Islands Dollar"),
    Currency("KZT", 2, "Tenge"),
    Currency("LAK", 2, "Lao Kip"),
    Currency("LBP", 2, "Lebanese Pound"),
    Currency("LKR", 2, "Sri Lanka Rupee"),
    Currency("LRD", 2, "Liberian Dollar"),
    Currency("LSL", 2, "Loti"),
    Currency("LYD", 3, "Libyan Dinar"),
    Currency("MAD", 2, "Moroccan Dirham"),
    Currency("MDL", 2, "Moldovan Leu"),
    Currency("MGA", 2, "Malagasy Ariary"),
    Currency("MKD", 2, "Denar"),
    Currency("MMK", 2, "Kyat"),
    Currency("MNT", 2, "Tugrik"),
    Currency("MOP", 2, "Pataca"),
    Currency("MRU", 2, "Ouguiya"),
    Currency("MUR", 2, "Mauritius Rupee"),
    Currency("MVR", 2, "Rufiyaa"),
    Currency("MWK", 2, "Malawi Kwacha"),
    Currency("MXN", 2, "Mexican Peso"),
    Currency("MXV", 2, "Mexican Unidad de Inversión"),
    Currency("MYR", 2, "Malaysian Ringgit"),
    Currency("MZN", 2, "Mozambique Metical"),
    Currency("NAD", 2, "Namibian Dollar"),
    Currency("NGN", 2, "Naira"),
    Currency("NIO", 2, "Cordoba Oro"),
    Currency("NOK", 2, "Norwegian Krone"),
    Currency("NPR", 2, "Nepalese Rupee"),
    Currency("NZD", 2, "New Zealand Dollar"),
    Currency("OMR", 3, "Omani Rial"),
    Currency("PAB", 2, "Balboa"),
    Currency("PEN", 2, "Sol"),
    Currency("PGK", 2, "Kina"),
    Currency("PHP", 2, "Philippine Peso"),
    Currency("PKR", 2, "Pakistan Rupee"),
    Currency("PLN", 2, "Zloty"),
    Currency("PYG", 0, "Guarani"),
    Currency("QAR", 2, "Qatari Rial"),
    Currency("RON", 2, "Romanian Leu"),
    Currency("RSD", 2, "Serbian Dinar"),
    Currency("RUB", 2, "Russian Ruble"),
    Currency("RWF", 0, "Rwandan Franc"),
    Currency("SAR", 2, "Saudi Riyal"),
    Currency("SBD", 2, "Solomon Islands Dollar"),
    Currency("SCR", 2, "Seychelles Rupee"),
    Currency("SDG", 2, "Sudanese Pound"),
    Currency("SEK", 2, "Swedish Krona"),
    Currency("SGD", 2, "Singapore Dollar"),
    Currency("SHP", 2, "Saint Helena Pound"),
    Currency("SLE", 2, "Leone"),
    Currency("SOS", 2, "Somali Shilling"),
    Currency("SRD", 2, "Surinamese Dollar"),
    Currency("SSP", 2, "South Sudanese Pound"),
    Currency("STN", 2, "Dobra"),
    Currency("SVC", 2, "El Salvador Colon"),
    Currency("SYP", 2, "Syrian Pound"),
    Currency("SZL", 2, "Lilangeni"),
    Currency("THB", 2, "Baht"),
    Currency("TJS", 2, "Somoni"),
    Currency("TMT", 2, "Turkmenistan New Manat"),
    Currency("TND", 3, "Tunisian Dinar"),
    Currency("TOP", 2, "Pa'anga"),
    Currency("TRY", 2, "Turkish Lira"),
    Currency("TTD", 2, "Trinidad and Tobago Dollar"),
    Currency("TWD", 2, "New Taiwan Dollar"),
    Currency("TZS", 2, "Tanzanian Shilling"),
    Currency("UAH", 2, "Hryvnia"),
    Currency("UGX", 0, "Ugandan Shilling"),
    Currency("USD", 2, "US Dollar"),
    Currency("USN", 2, "US Dollar, next day"),
    Currency("UYI", 0, "Uruguay Peso en Unidades Indexadas"),
    Currency("UYU", 2, "Peso Uruguayo"),
    Currency("UYW", 4, "Unidad Previsional"),
    Currency("UZS", 2, "Uzbekistan Sum"),
    Currency("VED", 2, "Bolívar Digital"),
    Currency("VES", 2, "Bolívar Soberano"),
    Currency("VND", 0, "Dong"),
    Currency("VUV", 0, "Vatu"),
    Currency("WST", 2, "Tala"),
    Currency("XAD", 2, "Arab Accounting Dinar"),
    Currency("XAF", 0, "CFA Franc BEAC"),
    Currency("XCD", 2, "East Caribbean Dollar"),
    Currency("XCG", 2, "Caribbean Guilder"),
    Currency("XOF", 0, "CFA Franc BCEAO"),
    Currency("XPF", 0, "CFP Franc"),
    Currency("YER", 2, "Yemeni Rial"),
    Currency("ZAR", 2, "Rand"),
    Currency("ZMW", 2, "Zambian Kwacha"),
    Currency("ZWG", 2, "Zimbabwe Gold"),
)

_BY_CODE: Final = {row.code: row for row in CURRENCIES}

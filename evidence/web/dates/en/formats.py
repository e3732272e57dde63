"""English: day before month, the month as a word, the clock with 24 hours; alike in the whole of Fundstelle."""

DATE_FORMAT = "j M Y"
DATETIME_FORMAT = "j M Y, H:i"
SHORT_DATE_FORMAT = DATE_FORMAT
SHORT_DATETIME_FORMAT = DATETIME_FORMAT
TIME_FORMAT = "H:i"
MONTH_DAY_FORMAT = "j M"
FIRST_DAY_OF_WEEK = 1

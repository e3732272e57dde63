"""How dates and times are written where Django's own way can be misread."""
